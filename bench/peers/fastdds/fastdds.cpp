/*
 * tokkyu-peer-fastdds: Fast DDS, one topic for each camera, one participant at each end.
 *
 * A receiver takes each sample in the library's own receiving thread, by a listener, as soon as it is whole:
 * no thread has to be woken in between, and with a history of one nothing is overwritten before it is read.
 *
 * Nothing made here is given back: the process ends with _exit (PEER-20).
 */
#include <array>
#include <memory>
#include <string>
#include <vector>

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

#include "configuration.hpp"
#include "peer.h"
#include "picture_type.hpp"

using namespace eprosima::fastdds::dds;

namespace {

const struct options *options;

/* By camera. */
std::array<DataWriter *, MOST_IMAGES + 1> writers;
std::array<DataReader *, MOST_IMAGES + 1> readers;

bool is_missing(const void *made, const char *what)
{
    if (made == nullptr)
        summary_note("%s was refused (is --own %s an address of this machine?)", what, options->own);
    return made == nullptr;
}

class Taker : public DataReaderListener {
public:
    explicit Taker(unsigned camera) : camera(camera), bytes(options->size) {}

    void on_data_available(DataReader *reader) override
    {
        Picture picture{bytes.data(), 0};
        SampleInfo info;
        while (reader->take_next_sample(&picture, &info) == ReturnCode_t::RETCODE_OK) {
            const std::uint64_t at_ns = now_ns();
            if (info.valid_data)
                sample_arrived(camera, picture.bytes, picture.size, at_ns);
        }
    }

private:
    unsigned camera;
    std::vector<unsigned char> bytes;
};

bool open_writer(Publisher *publisher, Topic *topic, unsigned camera)
{
    writers[camera] = publisher->create_datawriter(topic, writer_qos(*options));
    return !is_missing(writers[camera], "create_datawriter");
}

bool open_reader(Subscriber *subscriber, Topic *topic, unsigned camera)
{
    auto *taker = new Taker(camera);
    readers[camera] = subscriber->create_datareader(topic, reader_qos(*options), taker);
    return !is_missing(readers[camera], "create_datareader");
}

bool open_cameras(DomainParticipant *participant, const TypeSupport &type)
{
    Publisher *publisher = participant->create_publisher(PUBLISHER_QOS_DEFAULT);
    Subscriber *subscriber = participant->create_subscriber(SUBSCRIBER_QOS_DEFAULT);
    if (is_missing(publisher, "create_publisher") || is_missing(subscriber, "create_subscriber"))
        return false;
    for (unsigned camera = 1; camera <= options->images; camera++) {
        const std::string name = "tokkyu_camera_" + std::to_string(camera);
        Topic *topic = participant->create_topic(name, type.get_type_name(), TOPIC_QOS_DEFAULT);
        if (is_missing(topic, "create_topic"))
            return false;
        if (!(options->role == ROLE_SEND ? open_writer(publisher, topic, camera)
                                         : open_reader(subscriber, topic, camera)))
            return false;
    }
    return true;
}

bool open_dds(const struct options *given)
{
    options = given;
    tell_settings(*options);
    auto *factory = DomainParticipantFactory::get_instance();
    DomainParticipant *participant = factory->create_participant(DOMAIN_ID, participant_qos(*options));
    if (is_missing(participant, "create_participant"))
        return false;
    const TypeSupport type(new PictureType(static_cast<std::uint32_t>(options->size)));
    if (type.register_type(participant) != ReturnCode_t::RETCODE_OK) {
        summary_note("register_type was refused");
        return false;
    }
    return open_cameras(participant, type);
}

bool is_matched(unsigned camera)
{
    if (options->role == ROLE_SEND) {
        PublicationMatchedStatus status;
        return writers[camera]->get_publication_matched_status(status) == ReturnCode_t::RETCODE_OK
            && status.current_count > 0;
    }
    SubscriptionMatchedStatus status;
    return readers[camera]->get_subscription_matched_status(status) == ReturnCode_t::RETCODE_OK
        && status.current_count > 0;
}

bool met()
{
    for (unsigned camera = 1; camera <= options->images; camera++)
        if (!is_matched(camera))
            return false;
    return true;
}

/*
 * A full history holds the writer for 100 ms and then refuses; nothing is skipped (PEER-10), so it is held
 * again.
 */
enum offer give(unsigned camera, const unsigned char *sample, std::size_t size)
{
    Picture picture{const_cast<unsigned char *>(sample), static_cast<std::uint32_t>(size)};
    ReturnCode_t written;
    while ((written = writers[camera]->write(&picture, HANDLE_NIL)) == ReturnCode_t::RETCODE_TIMEOUT)
        summary_note("write: blocked for 100 ms");
    if (written == ReturnCode_t::RETCODE_OK)
        return OFFER_GIVEN;
    summary_note("write: code %u", written());
    return OFFER_FAILED;
}

const char *version()
{
    return FASTRTPS_VERSION_STR;
}

} // namespace

int main(int argc, char **argv)
{
    static const unsigned conditions = QOS_BIT(QOS_RELIABLE_LAST_10) | QOS_BIT(QOS_RELIABLE_LAST_1)
                                     | QOS_BIT(QOS_RELIABLE_ALL) | QOS_BIT(QOS_BEST_EFFORT_LAST_1);
    static const struct mode modes[] = {{"dds", conditions, nullptr}, {nullptr, 0, nullptr}};
    static const struct peer peer = {"fastdds", modes, version, open_dds, nullptr, met, give};
    return peer_main(&peer, argc, argv);
}
