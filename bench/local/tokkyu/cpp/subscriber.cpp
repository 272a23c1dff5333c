// tokkyu-local-tcpros-subscriber: a node of roscpp that publishes, and our subscription in another process.
//
// Copies: serialised, to the kernel, from the kernel.
#include "node.hpp"
#include "ours.hpp"

namespace local {
namespace {

// As in the peer roscpp-tcp.
class RoscppSender : public Sender {
public:
    explicit RoscppSender(const Options &options)
        : node_(options, "tokkyu_local_sender"), publisher_(ros::NodeHandle().advertise<Message>(TOPIC, QUEUE_SIZE)),
          message_(make_message(options.bytes))
    {
    }

    bool is_matched() override { return publisher_.getNumSubscribers() > 0; }
    std::uint8_t *loan() override { return message_->data.data(); }
    void publish() override { publisher_.publish(*message_); }

private:
    Node node_;
    ros::Publisher publisher_;
    const Message::Ptr message_;
};

class TcprosSubscriber : public Peer {
public:
    Description description() const override { return {"tokkyu-tcpros-subscriber", 3, 2, "tokkyu", TOKKYU_VERSION}; }
    bool needs_master() const override { return true; }
    std::unique_ptr<Receiver> open_receiver(const Options &options, Board &board) override
    {
        return std::make_unique<OurReceiver>(options, board);
    }
    std::unique_ptr<Sender> open_sender(const Options &options) override
    {
        return std::make_unique<RoscppSender>(options);
    }
};

} // namespace
} // namespace local

int main(int argc, char **argv)
{
    local::TcprosSubscriber peer;
    return local::run_peer(peer, argc, argv);
}
