// tokkyu-local-tcpros: our publisher, and a node of roscpp in another process that subscribes.
//
// Copies: to the kernel, from the kernel, deserialised.
#include <thread>

#include "node.hpp"
#include "ours.hpp"

namespace local {
namespace {

// As in the peer roscpp-tcp.
class RoscppReceiver : public Receiver {
public:
    RoscppReceiver(const Options &options, Board &board) : node_(options, "tokkyu_local_receiver")
    {
        const TakeMessage take = [&board](const Message::ConstPtr &message) { take_message(board, message); };
        const auto hints = ros::TransportHints().tcpNoDelay();
        subscriber_ = ros::NodeHandle().subscribe<Message>(TOPIC, QUEUE_SIZE, take, ros::VoidConstPtr(), hints);
        spinner_ = std::thread([] { ros::spin(); });
    }
    ~RoscppReceiver() override
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

class Tcpros : public Peer {
public:
    Description description() const override { return {"tokkyu-tcpros", 3, 2, "tokkyu", TOKKYU_VERSION}; }
    bool needs_master() const override { return true; }
    std::unique_ptr<Receiver> open_receiver(const Options &options, Board &board) override
    {
        return std::make_unique<RoscppReceiver>(options, board);
    }
    std::unique_ptr<Sender> open_sender(const Options &options) override
    {
        return std::make_unique<OurSender>(options);
    }
};

} // namespace
} // namespace local

int main(int argc, char **argv)
{
    local::Tcpros peer;
    return local::run_peer(peer, argc, argv);
}
