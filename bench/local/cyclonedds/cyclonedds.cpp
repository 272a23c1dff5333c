// tokkyu-local-cyclonedds: two processes, one participant each, reliable keep_last 1, UDP over loopback.
//
// Copies: serialised, to the kernel, from the kernel, put together from its fragments, deserialised.
//
// The receiver takes each sample in the library's receiving thread, by a listener: no other thread has to be woken.
#include <dds/dds.h>
#include <dds/version.h>
#include <vector>

#include "clock.hpp"
#include "configuration.hpp"
#include "peer.hpp"
#include "sample.h"

namespace local {
namespace {

// Returns the entity, or throws.
dds_entity_t made(const char *what, dds_return_t code)
{
    if (code < 0)
        throw Failure(std::string(what) + ": " + dds_strretcode(-code));
    return code;
}

// A domain with our configuration, a participant and the topic. They go with the domain.
class Participant {
public:
    Participant()
        : domain_(made("dds_create_domain (is the loopback interface up?)",
                       dds_create_domain(DOMAIN_ID, CONFIGURATION)))
    {
        qos_ = dds_create_qos();
        dds_qset_reliability(qos_, DDS_RELIABILITY_RELIABLE, DDS_SECS(1));
        dds_qset_history(qos_, DDS_HISTORY_KEEP_LAST, 1);
        participant_ = made("dds_create_participant", dds_create_participant(DOMAIN_ID, nullptr, nullptr));
        topic_ = made("dds_create_topic",
                      dds_create_topic(participant_, &tokkyu_local_Sample_desc, "tokkyu_local", qos_, nullptr));
    }
    ~Participant()
    {
        dds_delete(domain_);
        dds_delete_qos(qos_);
    }
    Participant(const Participant &) = delete;
    Participant &operator=(const Participant &) = delete;

    dds_entity_t make_writer()
    {
        return made("dds_create_writer", dds_create_writer(participant_, topic_, qos_, nullptr));
    }
    dds_entity_t make_reader(const dds_listener_t *listener)
    {
        return made("dds_create_reader", dds_create_reader(participant_, topic_, qos_, listener));
    }

private:
    dds_entity_t domain_ = 0;
    dds_qos_t *qos_ = nullptr;
    dds_entity_t participant_ = 0;
    dds_entity_t topic_ = 0;
};

class CycloneSender : public Sender {
public:
    explicit CycloneSender(std::uint32_t bytes) : buffer_(bytes), writer_(participant_.make_writer())
    {
        sample_.bytes = {bytes, bytes, buffer_.data(), false};
    }

    bool is_matched() override
    {
        dds_publication_matched_status_t status;
        return dds_get_publication_matched_status(writer_, &status) == 0 && status.current_count > 0;
    }
    std::uint8_t *loan() override { return buffer_.data(); }
    void publish() override { made("dds_write", dds_write(writer_, &sample_)); }

private:
    std::vector<std::uint8_t> buffer_;
    tokkyu_local_Sample sample_{};
    Participant participant_;
    dds_entity_t writer_;
};

// The sample is in the program's hands when dds_take returns: the callback before it tells only that there is one.
void take_samples(dds_entity_t reader, void *board)
{
    for (;;) {
        void *loan[1] = {nullptr};
        dds_sample_info_t info;
        const dds_return_t taken = dds_take(reader, loan, &info, 1, 1);
        const std::uint64_t at_ns = now_ns();
        if (taken <= 0)
            return;
        const auto *sample = static_cast<const tokkyu_local_Sample *>(loan[0]);
        if (info.valid_data)
            static_cast<Board *>(board)->arrived(sample->bytes._buffer, sample->bytes._length, at_ns);
        dds_return_loan(reader, loan, taken);
    }
}

class CycloneReceiver : public Receiver {
public:
    explicit CycloneReceiver(Board &board)
    {
        dds_listener_t *listener = dds_create_listener(&board);
        dds_lset_data_available(listener, take_samples);
        reader_ = participant_.make_reader(listener);
        dds_delete_listener(listener);
    }

    bool is_matched() override
    {
        dds_subscription_matched_status_t status;
        return dds_get_subscription_matched_status(reader_, &status) == 0 && status.current_count > 0;
    }

private:
    Participant participant_;
    dds_entity_t reader_ = 0;
};

class CycloneDds : public Peer {
public:
    Description description() const override { return {"cyclonedds", 5, 2, "cyclonedds", DDS_VERSION}; }
    std::unique_ptr<Receiver> open_receiver(const Options &, Board &board) override
    {
        return std::make_unique<CycloneReceiver>(board);
    }
    std::unique_ptr<Sender> open_sender(const Options &options) override
    {
        return std::make_unique<CycloneSender>(options.bytes);
    }
};

} // namespace
} // namespace local

int main(int argc, char **argv)
{
    local::CycloneDds peer;
    return local::run_peer(peer, argc, argv);
}
