// tokkyu-local-roscpp-intra-ptr: one process, publish(boost::shared_ptr), AsyncSpinner(1).
//
// The subscriber is handed the publisher's pointer: no copy.
#include "node.hpp"
#include "peer.hpp"

namespace local {
namespace {

class PointerSender : public Sender {
public:
    explicit PointerSender(const Options &options)
        : publisher_(ros::NodeHandle().advertise<Message>(TOPIC, QUEUE_SIZE)), bytes_(options.bytes)
    {
    }

    bool is_matched() override { return publisher_.getNumSubscribers() > 0; }
    std::uint8_t *loan() override
    {
        message_ = make_message(bytes_);
        return message_->data.data();
    }
    void publish() override
    {
        publisher_.publish(message_);
        message_.reset();
    }

private:
    ros::Publisher publisher_;
    const std::uint32_t bytes_;
    Message::Ptr message_;
};

class SpinningReceiver : public Receiver {
public:
    explicit SpinningReceiver(Board &board)
    {
        const TakeMessage take = [&board](const Message::ConstPtr &message) { take_message(board, message); };
        subscriber_ = ros::NodeHandle().subscribe<Message>(TOPIC, QUEUE_SIZE, take);
        spinner_.start();
    }
    ~SpinningReceiver() override { spinner_.stop(); }

    bool is_matched() override { return subscriber_.getNumPublishers() > 0; }

private:
    ros::Subscriber subscriber_;
    ros::AsyncSpinner spinner_{1};
};

class RoscppIntraPtr : public Peer {
public:
    Description description() const override { return describe_roscpp("roscpp-intra-ptr", 0, 1); }
    bool needs_master() const override { return true; }
    std::unique_ptr<Receiver> open_receiver(const Options &options, Board &board) override
    {
        node_ = std::make_unique<Node>(options, "tokkyu_local");
        return std::make_unique<SpinningReceiver>(board);
    }
    std::unique_ptr<Sender> open_sender(const Options &options) override
    {
        return std::make_unique<PointerSender>(options);
    }

private:
    std::unique_ptr<Node> node_;
};

} // namespace
} // namespace local

int main(int argc, char **argv)
{
    local::RoscppIntraPtr peer;
    return local::run_peer(peer, argc, argv);
}
