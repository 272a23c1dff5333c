// The type of the topic: an array of octets whose length is known when the topic is made.
//
// Fast DDS lends samples of a type that is plain (its memory is its CDR) and bounded. The tool that makes types from
// IDL knows an array's length at compile time; a type told by hand may learn it at run time, and is as plain: an array
// of octets has neither a head nor padding.
#ifndef TOKKYU_LOCAL_BOUNDED_TYPE_HPP
#define TOKKYU_LOCAL_BOUNDED_TYPE_HPP

#include <cstdint>
#include <fastdds/dds/core/LoanableSequence.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>

namespace local {

// The first bytes of a sample: as long as the whole is only at run time, it is only ever pointed at.
struct Sample {
    std::uint8_t bytes[1];
};

using Samples = eprosima::fastdds::dds::LoanableSequence<Sample>;

class BoundedType : public eprosima::fastdds::dds::TopicDataType {
public:
    explicit BoundedType(std::uint32_t bytes);

    bool is_bounded() const override { return true; }
    bool is_plain() const override { return true; }
    // A lent sample is what it is: nothing is to be written into it beforehand.
    bool construct_sample(void *) const override { return true; }

    // Not called while samples are lent: with data sharing on, Fast DDS refuses to fall back on them.
    bool serialize(void *sample, eprosima::fastrtps::rtps::SerializedPayload_t *payload) override;
    bool deserialize(eprosima::fastrtps::rtps::SerializedPayload_t *payload, void *sample) override;
    std::function<std::uint32_t()> getSerializedSizeProvider(void *sample) override;
    void *createData() override;
    void deleteData(void *sample) override;
    bool getKey(void *, eprosima::fastrtps::rtps::InstanceHandle_t *, bool) override { return false; }

private:
    const std::uint32_t bytes_;
};

} // namespace local
#endif
