// The reader: Fast DDS's threads tell of events and ring, the main thread takes samples, however slow.
#include "subscribe.hpp"
#include "../face/bell.h"
#include "../face/events.h"
#include "../face/rounds.h"
#include "participant.hpp"
#include "quality.hpp"
#include <cstdio>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>

using namespace eprosima::fastdds::dds;
using eprosima::fastrtps::types::ReturnCode_t;

namespace {
struct Events : DataReaderListener {
    explicit Events(Discovered &discovered) : discovered_(discovered) {}

    void on_subscription_matched(DataReader *, const SubscriptionMatchedStatus &status) override {
        say_matched(status.current_count);
        if (status.current_count_change > 0) discovered_.tell_of(status.last_publication_handle);
    }
    void on_requested_incompatible_qos(DataReader *, const RequestedIncompatibleQosStatus &status) override {
        say_incompatible(policy_name(status.last_policy_id));
    }
    void on_requested_deadline_missed(DataReader *, const RequestedDeadlineMissedStatus &status) override {
        say_deadline_missed(status.total_count);
    }
    void on_liveliness_changed(DataReader *, const LivelinessChangedStatus &status) override {
        say_liveliness(status.alive_count, status.not_alive_count);
    }
    void on_data_available(DataReader *) override { bell_ring_data(); }

    Discovered &discovered_;
};
} // namespace

// One sample at a time: what a slow subscriber has not taken yet stays in the reader's history, under its policies.
static enum taken take_one(void *reader, const options *options) {
    for (;;) {
        message sample{};
        SampleInfo info;
        ReturnCode_t returned = static_cast<DataReader *>(reader)->take_next_sample(&sample, &info);
        if (returned == ReturnCode_t::RETCODE_NO_DATA) return NOTHING_THERE;
        if (returned != ReturnCode_t::RETCODE_OK) {
            fprintf(stderr, "DataReader::take_next_sample: return code %u\n", returned());
            return NOT_TAKEN;
        }
        if (info.valid_data) tell_of_sample(options, &sample, info.source_timestamp.to_ns());
        message_free(&sample);
        if (info.valid_data) return TAKEN;
    }
}

int subscribe(DomainParticipant *participant, Topic *topic, const options &options, Discovered &discovered) {
    static Events events(discovered);
    Subscriber *subscriber = need("create_subscriber", participant->create_subscriber(SUBSCRIBER_QOS_DEFAULT));
    DataReader *reader =
        need("create_datareader", subscriber->create_datareader(topic, reader_quality(options), &events));
    say_ready();
    int64_t received = 0;
    bool good = subscribe_rounds(&options, take_one, reader, &received);
    say_end(false, received);
    return good ? 0 : 1;
}
