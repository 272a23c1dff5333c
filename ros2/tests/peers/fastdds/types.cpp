#include "types.hpp"
#include <cstdlib>
#include <cstring>
#include <fastcdr/Cdr.h>
#include <fastcdr/exceptions/Exception.h>
#include <string>

using eprosima::fastcdr::Cdr;
using eprosima::fastcdr::FastBuffer;

MessageType::MessageType(enum type type) : type_(type) {
    setName(dds_type_name(type));
    // Only what the histories set aside at first: they grow with what is written.
    m_typeSize = 1024;
    m_isGetKeyDefined = false;
    auto_fill_type_object(false);
    auto_fill_type_information(false);
}

static void put(Cdr &cdr, const message &m) {
    const image &i = m.image;
    switch (m.type) {
    case TYPE_STRING: cdr << static_cast<const char *>(m.text); break;
    case TYPE_TWIST: cdr.serializeArray(m.twist, 6); break;
    case TYPE_IMAGE:
        cdr << i.sec << i.nanosec << static_cast<const char *>(i.frame_id) << i.height << i.width;
        cdr << static_cast<const char *>(i.encoding) << i.is_bigendian << i.step;
        cdr << static_cast<uint32_t>(i.data_bytes);
        cdr.serializeArray(i.data, i.data_bytes);
        break;
    }
}

static char *get_text(Cdr &cdr) {
    std::string text;
    cdr >> text;
    return strdup(text.c_str());
}

static void get(Cdr &cdr, message &m, size_t payload_bytes) {
    image &i = m.image;
    uint32_t data_bytes = 0;
    switch (m.type) {
    case TYPE_STRING: m.text = get_text(cdr); break;
    case TYPE_TWIST: cdr.deserializeArray(m.twist, 6); break;
    case TYPE_IMAGE:
        cdr >> i.sec >> i.nanosec;
        i.frame_id = get_text(cdr);
        cdr >> i.height >> i.width;
        i.encoding = get_text(cdr);
        cdr >> i.is_bigendian >> i.step >> data_bytes;
        // A length from outside is believed only as far as there are bytes.
        if (data_bytes > payload_bytes) throw std::length_error("Image data longer than its sample");
        i.data = static_cast<uint8_t *>(malloc(data_bytes + 1u));
        i.data_bytes = data_bytes;
        cdr.deserializeArray(i.data, data_bytes);
        break;
    }
}

bool MessageType::serialize(void *data, Payload *payload) try {
    FastBuffer buffer(reinterpret_cast<char *>(payload->data), payload->max_size);
    Cdr cdr(buffer, Cdr::DEFAULT_ENDIAN, Cdr::DDS_CDR);
    payload->encapsulation = cdr.endianness() == Cdr::BIG_ENDIANNESS ? CDR_BE : CDR_LE;
    cdr.serialize_encapsulation();
    put(cdr, *static_cast<message *>(data));
    payload->length = static_cast<uint32_t>(cdr.getSerializedDataLength());
    return true;
} catch (const std::exception &) {
    return false;
}

bool MessageType::deserialize(Payload *payload, void *data) try {
    auto *m = static_cast<message *>(data);
    message_free(m);
    m->type = type_;
    FastBuffer buffer(reinterpret_cast<char *>(payload->data), payload->length);
    Cdr cdr(buffer, Cdr::DEFAULT_ENDIAN, Cdr::DDS_CDR);
    cdr.read_encapsulation();
    get(cdr, *m, payload->length);
    return true;
} catch (const std::exception &) {
    return false;
}

// At least what serialize() needs; the lengths and the alignment of all that is not text or data are within 128 bytes.
std::function<uint32_t()> MessageType::getSerializedSizeProvider(void *data) {
    const auto *m = static_cast<message *>(data);
    size_t bytes = 128;
    if (m->type == TYPE_STRING) bytes += strlen(m->text);
    if (m->type == TYPE_IMAGE) bytes += strlen(m->image.frame_id) + strlen(m->image.encoding) + m->image.data_bytes;
    return [bytes] { return static_cast<uint32_t>(bytes); };
}

void *MessageType::createData() {
    auto *m = new message{};
    m->type = type_;
    return m;
}

void MessageType::deleteData(void *data) {
    auto *m = static_cast<message *>(data);
    message_free(m);
    delete m;
}
