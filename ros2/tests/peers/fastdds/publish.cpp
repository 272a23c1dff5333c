// The writer: its events come from Fast DDS's threads, its samples are written by the main thread.
#include "publish.hpp"
#include "../face/bell.h"
#include "../face/events.h"
#include "../face/rounds.h"
#include "participant.hpp"
#include "quality.hpp"
#include <cstdio>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/DataWriterListener.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>

using namespace eprosima::fastdds::dds;
using eprosima::fastrtps::types::ReturnCode_t;

namespace {
struct Events : DataWriterListener {
    void on_publication_matched(DataWriter *, const PublicationMatchedStatus &status) override {
        say_matched(status.current_count);
        bell_ring_readers(status.current_count);
    }
    void on_offered_incompatible_qos(DataWriter *, const OfferedIncompatibleQosStatus &status) override {
        say_incompatible(policy_name(status.last_policy_id));
    }
    void on_offered_deadline_missed(DataWriter *, const OfferedDeadlineMissedStatus &status) override {
        say_deadline_missed(status.total_count);
    }
};
} // namespace

static enum written write_one(void *writer, const message *message) {
    auto *to = static_cast<DataWriter *>(writer);
    ReturnCode_t returned = to->write(const_cast<struct message *>(message), HANDLE_NIL);
    if (returned == ReturnCode_t::RETCODE_OK) return WRITTEN;
    if (returned == ReturnCode_t::RETCODE_TIMEOUT) return WOULD_BLOCK;
    fprintf(stderr, "DataWriter::write: return code %u\n", returned());
    return NOT_WRITTEN;
}

static bool acknowledged(void *writer, int patience_ms) {
    const eprosima::fastrtps::Duration_t patience(0, static_cast<uint32_t>(patience_ms) * 1000000);
    return static_cast<DataWriter *>(writer)->wait_for_acknowledgments(patience) == ReturnCode_t::RETCODE_OK;
}

int publish(DomainParticipant *participant, Topic *topic, const options &options) {
    static Events events;
    Publisher *publisher = need("create_publisher", participant->create_publisher(PUBLISHER_QOS_DEFAULT));
    DataWriter *writer =
        need("create_datawriter", publisher->create_datawriter(topic, writer_quality(options), &events));
    say_ready();
    int64_t sent = 0;
    bool good = publish_rounds(&options, write_one, acknowledged, writer, &sent);
    say_end(true, sent);
    return good ? 0 : 1;
}
