/*
 * The one type of all topics (PEER-12): a structure with one sequence<octet>, as Fast DDS is told of types by
 * hand.
 */
#ifndef TOKKYU_PEER_FASTDDS_PICTURE_TYPE_HPP
#define TOKKYU_PEER_FASTDDS_PICTURE_TYPE_HPP

#include <cstdint>
#include <functional>

#include <fastdds/dds/topic/TopicDataType.hpp>

/* The bytes belong to whoever made the picture; reading fills at most `size` and sets it to what there was. */
struct Picture {
    unsigned char *bytes;
    std::uint32_t size;
};

class PictureType : public eprosima::fastdds::dds::TopicDataType {
public:
    explicit PictureType(std::uint32_t picture_size);

    bool serialize(void *picture, eprosima::fastrtps::rtps::SerializedPayload_t *payload) override;
    bool deserialize(eprosima::fastrtps::rtps::SerializedPayload_t *payload, void *picture) override;
    std::function<std::uint32_t()> getSerializedSizeProvider(void *picture) override;

    /* The library asks for these only to lend samples out, which this program does not use. */
    void *createData() override { return new Picture{nullptr, 0}; }
    void deleteData(void *picture) override { delete static_cast<Picture *>(picture); }

    /* All pictures of a topic are one instance. */
    bool getKey(void *, eprosima::fastrtps::rtps::InstanceHandle_t *, bool) override { return false; }
};

#endif
