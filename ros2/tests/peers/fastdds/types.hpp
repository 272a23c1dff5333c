// The three messages in plain CDR, written by hand with Fast CDR, as rmw_fastrtps writes them: no key, no type object.
#pragma once
#include "../face/content.h"
#include <fastdds/dds/topic/TopicDataType.hpp>

// Serializes `struct message`.
class MessageType : public eprosima::fastdds::dds::TopicDataType {
public:
    using Payload = eprosima::fastrtps::rtps::SerializedPayload_t;

    explicit MessageType(enum type type);
    bool serialize(void *data, Payload *payload) override;
    bool deserialize(Payload *payload, void *data) override;
    std::function<uint32_t()> getSerializedSizeProvider(void *data) override;
    void *createData() override;
    void deleteData(void *data) override;
    bool getKey(void *, eprosima::fastrtps::rtps::InstanceHandle_t *, bool) override { return false; }

private:
    enum type type_;
};
