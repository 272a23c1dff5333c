// tokkyu-local-iceoryx: two processes and RouDi, untyped publisher and subscriber, WaitSet.
//
// The sample is written into shared memory and read there: no copy.
#include <iceoryx_hoofs/log/logmanager.hpp>
#include <iceoryx_posh/popo/untyped_publisher.hpp>
#include <iceoryx_posh/popo/untyped_subscriber.hpp>
#include <iceoryx_posh/popo/wait_set.hpp>
#include <iceoryx_posh/runtime/posh_runtime.hpp>
#include <iceoryx_versions.hpp>
#include <optional>
#include <thread>

#include "child.hpp"
#include "clock.hpp"
#include "peer.hpp"
#include "roudi.hpp"

namespace local {
namespace {

const iox::capro::ServiceDescription &service()
{
    static const iox::capro::ServiceDescription description{"tokkyu", "local", "sample"};
    return description;
}

void join_roudi(const char *name)
{
    iox::log::LogManager::GetLogManager().SetDefaultLogLevel(iox::log::LogLevel::kError,
                                                           iox::log::LogLevelOutput::kHideLogLevel);
    iox::runtime::PoshRuntime::initRuntime(iox::RuntimeName_t(iox::cxx::TruncateToCapacity, name));
}

// The order matters: ports are made after the process has joined, and go before it leaves.
class IceoryxSender : public Sender {
public:
    explicit IceoryxSender(std::uint32_t bytes) : bytes_(bytes)
    {
        join_roudi("tokkyu-local-sender");
        iox::popo::PublisherOptions options;
        options.subscriberTooSlowPolicy = iox::popo::ConsumerTooSlowPolicy::WAIT_FOR_CONSUMER;
        publisher_.emplace(service(), options);
    }

    bool is_matched() override { return publisher_->hasSubscribers(); }
    std::uint8_t *loan() override
    {
        const auto loaned = publisher_->loan(bytes_);
        if (loaned.has_error())
            throw Failure("iceoryx has no memory for a sample; is the receiver holding all of it?");
        sample_ = loaned.value();
        return static_cast<std::uint8_t *>(sample_);
    }
    void publish() override { publisher_->publish(sample_); }

private:
    const std::uint32_t bytes_;
    std::optional<iox::popo::UntypedPublisher> publisher_;
    void *sample_ = nullptr;
};

class IceoryxReceiver : public Receiver {
public:
    IceoryxReceiver(std::uint32_t bytes, Board &board) : bytes_(bytes), board_(board)
    {
        join_roudi("tokkyu-local-receiver");
        iox::popo::SubscriberOptions options;
        options.queueCapacity = 1;
        options.queueFullPolicy = iox::popo::QueueFullPolicy::BLOCK_PRODUCER;
        subscriber_.emplace(service(), options);
        waits_.emplace();
        if (waits_->attachEvent(*subscriber_, iox::popo::SubscriberEvent::DATA_RECEIVED).has_error())
            throw Failure("iceoryx did not attach the subscriber to the WaitSet");
        reader_ = std::thread([this] { read(); });
    }
    ~IceoryxReceiver() override
    {
        is_over_ = true;
        waits_->markForDestruction();
        reader_.join();
        subscriber_.reset();
        waits_.reset();
    }

    bool is_matched() override { return subscriber_->getSubscriptionState() == iox::SubscribeState::SUBSCRIBED; }

private:
    void read()
    {
        while (!is_over_) {
            waits_->wait();
            for (auto taken = subscriber_->take(); !taken.has_error(); taken = subscriber_->take()) {
                const std::uint64_t at_ns = now_ns();
                board_.arrived(static_cast<const std::uint8_t *>(taken.value()), bytes_, at_ns);
                subscriber_->release(taken.value());
            }
        }
    }

    const std::uint32_t bytes_;
    Board &board_;
    std::atomic<bool> is_over_{false};
    std::optional<iox::popo::UntypedSubscriber> subscriber_;
    std::optional<iox::popo::WaitSet<1>> waits_;
    std::thread reader_;
};

class Iceoryx : public Peer {
public:
    Description description() const override { return {"iceoryx", 0, 2, "iceoryx", ICEORYX_LATEST_RELEASE_VERSION}; }
    void prepare(const Options &options) override
    {
        // Static, and made before iceoryx's own static object of this process: it goes after that, which has to say
        // goodbye to it.
        static Child roudi([&](const Child::TellReady &tell_ready) { run_roudi(options, tell_ready); });
        constexpr std::uint64_t START_NS = 10 * NS_PER_S;
        if (!roudi.wait_until_ready(START_NS))
            throw Failure("RouDi did not start (is another one running? there can be one on a machine)");
    }
    std::unique_ptr<Receiver> open_receiver(const Options &options, Board &board) override
    {
        return std::make_unique<IceoryxReceiver>(options.bytes, board);
    }
    std::unique_ptr<Sender> open_sender(const Options &options) override
    {
        return std::make_unique<IceoryxSender>(options.bytes);
    }
};

} // namespace
} // namespace local

int main(int argc, char **argv)
{
    local::Iceoryx peer;
    return local::run_peer(peer, argc, argv);
}
