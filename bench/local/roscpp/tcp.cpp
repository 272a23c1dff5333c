// tokkyu-local-roscpp-tcp: two processes, publish by reference, TCPROS over loopback.
//
// Copies: serialised, to the kernel, from the kernel, deserialised.
#include <thread>

#include "node.hpp"
#include "peer.hpp"

namespace local {
namespace {

class TcpSender : public Sender {
public:
    explicit TcpSender(const Options &options)
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

class TcpReceiver : public Receiver {
public:
    TcpReceiver(const Options &options, Board &board) : node_(options, "tokkyu_local_receiver")
    {
        const TakeMessage take = [&board](const Message::ConstPtr &message) { take_message(board, message); };
        subscriber_ = ros::NodeHandle().subscribe<Message>(TOPIC, QUEUE_SIZE, take, ros::VoidConstPtr(),
                                                           ros::TransportHints().tcpNoDelay());
        spinner_ = std::thread([] { ros::spin(); });
    }
    ~TcpReceiver() override
    {
        ros::requestShutdown();
        spinner_.join();
    }

    bool is_matched() override { return subscriber_.getNumPublishers() > 0; }

private:
    Node node_;
    ros::Subscriber subscriber_;
    std::thread spinner_;
};

class RoscppTcp : public Peer {
public:
    Description description() const override { return describe_roscpp("roscpp-tcp", 4, 2); }
    bool needs_master() const override { return true; }
    std::unique_ptr<Receiver> open_receiver(const Options &options, Board &board) override
    {
        return std::make_unique<TcpReceiver>(options, board);
    }
    std::unique_ptr<Sender> open_sender(const Options &options) override
    {
        return std::make_unique<TcpSender>(options);
    }
};

} // namespace
} // namespace local

int main(int argc, char **argv)
{
    local::RoscppTcp peer;
    return local::run_peer(peer, argc, argv);
}
