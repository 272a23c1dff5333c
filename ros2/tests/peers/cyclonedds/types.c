#include "types.h"

const dds_topic_descriptor_t *descriptor_of(enum type type) {
    switch (type) {
    case TYPE_STRING: return &std_msgs_msg_dds__String__desc;
    case TYPE_IMAGE: return &sensor_msgs_msg_dds__Image__desc;
    default: return &geometry_msgs_msg_dds__Twist__desc;
    }
}

static sensor_msgs_msg_dds__Image_ image_sample(const struct image *image) {
    uint32_t bytes = (uint32_t)image->data_bytes;
    return (sensor_msgs_msg_dds__Image_){
        .header_ = {.stamp_ = {image->sec, image->nanosec}, .frame_id_ = image->frame_id},
        .height_ = image->height,
        .width_ = image->width,
        .encoding_ = image->encoding,
        .is_bigendian_ = image->is_bigendian,
        .step_ = image->step,
        .data_ = {._maximum = bytes, ._length = bytes, ._buffer = image->data, ._release = false},
    };
}

union sample sample_of(const struct message *message) {
    union sample sample = {0};
    const double *t = message->twist;
    switch (message->type) {
    case TYPE_STRING: sample.string.data_ = message->text; break;
    case TYPE_IMAGE: sample.image = image_sample(&message->image); break;
    case TYPE_TWIST:
        sample.twist = (geometry_msgs_msg_dds__Twist_){{t[0], t[1], t[2]}, {t[3], t[4], t[5]}};
        break;
    }
    return sample;
}

static struct image image_of(const sensor_msgs_msg_dds__Image_ *sample) {
    return (struct image){
        .sec = sample->header_.stamp_.sec_,
        .nanosec = sample->header_.stamp_.nanosec_,
        .frame_id = sample->header_.frame_id_,
        .height = sample->height_,
        .width = sample->width_,
        .encoding = sample->encoding_,
        .is_bigendian = sample->is_bigendian_,
        .step = sample->step_,
        .data = sample->data_._buffer,
        .data_bytes = sample->data_._length,
    };
}

struct message message_of(enum type type, const union sample *sample) {
    struct message message = {.type = type};
    const geometry_msgs_msg_dds__Twist_ *t = &sample->twist;
    switch (type) {
    case TYPE_STRING: message.text = sample->string.data_; break;
    case TYPE_IMAGE: message.image = image_of(&sample->image); break;
    case TYPE_TWIST:
        message = (struct message){.type = type,
                                   .twist = {t->linear_.x_, t->linear_.y_, t->linear_.z_, t->angular_.x_,
                                             t->angular_.y_, t->angular_.z_}};
        break;
    }
    return message;
}
