// tokkyu-local-fastdds: two processes, one participant each, data sharing with lent samples, best effort keep_last 1.
//
// The sample is written into the writer's history, which is shared memory, and read there: no copy.
//
// The receiver takes each sample in the library's own thread for shared histories, by a listener: no other thread has
// to be woken.
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/Topic.hpp>
#include <fastrtps/config.h>

#include "bounded_type.hpp"
#include "clock.hpp"
#include "configuration.hpp"
#include "peer.hpp"

using namespace eprosima::fastdds::dds;

namespace local {
namespace {

template <class Made> Made *made(const char *what, Made *entity)
{
    if (entity == nullptr)
        throw Failure(std::string("Fast DDS refused ") + what + " (is the loopback interface up, is /dev/shm there?)");
    return entity;
}

// A participant, the type and the topic. Destroyed, it takes its shared memory out of the file system.
class Participant {
public:
    Participant(End end, std::uint32_t bytes)
        : participant_(made("create_participant", DomainParticipantFactory::get_instance()->create_participant(
                                                      DOMAIN_ID, participant_qos(end))))
    {
        const TypeSupport type(new BoundedType(bytes));
        type.register_type(participant_);
        topic_ = made("create_topic",
                      participant_->create_topic("tokkyu_local", type.get_type_name(), TOPIC_QOS_DEFAULT));
    }
    ~Participant()
    {
        participant_->delete_contained_entities();
        DomainParticipantFactory::get_instance()->delete_participant(participant_);
    }
    Participant(const Participant &) = delete;
    Participant &operator=(const Participant &) = delete;

    DataWriter *make_writer()
    {
        Publisher *publisher = made("create_publisher", participant_->create_publisher(PUBLISHER_QOS_DEFAULT));
        return made("create_datawriter", publisher->create_datawriter(topic_, writer_qos()));
    }
    DataReader *make_reader(DataReaderListener *listener)
    {
        Subscriber *subscriber = made("create_subscriber", participant_->create_subscriber(SUBSCRIBER_QOS_DEFAULT));
        return made("create_datareader", subscriber->create_datareader(topic_, reader_qos(), listener));
    }

private:
    DomainParticipant *participant_;
    Topic *topic_ = nullptr;
};

class FastSender : public Sender {
public:
    explicit FastSender(std::uint32_t bytes) : participant_(End::SENDER, bytes), writer_(participant_.make_writer()) {}

    bool is_matched() override
    {
        PublicationMatchedStatus status;
        return writer_->get_publication_matched_status(status) == ReturnCode_t::RETCODE_OK && status.current_count > 0;
    }
    std::uint8_t *loan() override
    {
        const ReturnCode_t code = writer_->loan_sample(sample_);
        if (code != ReturnCode_t::RETCODE_OK)
            throw Failure("loan_sample: code " + std::to_string(code()));
        return static_cast<std::uint8_t *>(sample_);
    }
    void publish() override
    {
        if (!writer_->write(sample_))
            throw Failure("write was refused");
    }

private:
    Participant participant_;
    DataWriter *const writer_;
    void *sample_ = nullptr;
};

// The sample is in the program's hands when `take` returns: the callback before it tells only that there is one.
class Taker : public DataReaderListener {
public:
    Taker(std::uint32_t bytes, Board &board) : bytes_(bytes), board_(board) {}

    void on_data_available(DataReader *reader) override
    {
        Samples samples;
        SampleInfoSeq infos;
        while (reader->take(samples, infos, 1) == ReturnCode_t::RETCODE_OK) {
            const std::uint64_t at_ns = now_ns();
            if (infos[0].valid_data)
                board_.arrived(samples[0].bytes, bytes_, at_ns);
            reader->return_loan(samples, infos);
        }
    }

private:
    const std::uint32_t bytes_;
    Board &board_;
};

class FastReceiver : public Receiver {
public:
    FastReceiver(std::uint32_t bytes, Board &board)
        : taker_(bytes, board), participant_(End::RECEIVER, bytes), reader_(participant_.make_reader(&taker_))
    {
    }

    bool is_matched() override
    {
        SubscriptionMatchedStatus status;
        return reader_->get_subscription_matched_status(status) == ReturnCode_t::RETCODE_OK && status.current_count > 0;
    }

private:
    Taker taker_;
    Participant participant_;
    DataReader *const reader_;
};

class FastDds : public Peer {
public:
    Description description() const override { return {"fastdds", 0, 2, "fastdds", FASTRTPS_VERSION_STR}; }
    std::unique_ptr<Receiver> open_receiver(const Options &options, Board &board) override
    {
        return std::make_unique<FastReceiver>(options.bytes, board);
    }
    std::unique_ptr<Sender> open_sender(const Options &options) override
    {
        return std::make_unique<FastSender>(options.bytes);
    }
};

} // namespace
} // namespace local

int main(int argc, char **argv)
{
    local::FastDds peer;
    return local::run_peer(peer, argc, argv);
}
