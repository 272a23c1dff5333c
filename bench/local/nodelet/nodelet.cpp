// tokkyu-local-nodelet-ptr: two nodelets in one manager, publish(boost::shared_ptr).
//
// The manager is nodelet's own Loader in this program. It is given a factory instead of a plugin description, so there
// is no library to be found at run time and no need of pluginlib's headers. The subscriber is handed the publisher's
// pointer: no copy.
#include <nodelet/loader.h>
#include <nodelet/nodelet.h>
#include <nodelet/version.h>

#include "node.hpp"
#include "peer.hpp"

namespace local {
namespace {

// Both publish and subscribe in onInit, by node handles that the manager has tied to its own callback queues.
class Camera : public nodelet::Nodelet {
public:
    ros::Publisher publisher;

private:
    void onInit() override { publisher = getNodeHandle().advertise<Message>(TOPIC, QUEUE_SIZE); }
};

class Viewer : public nodelet::Nodelet {
public:
    explicit Viewer(Board &board) : board_(board) {}
    ros::Subscriber subscriber;

private:
    void onInit() override
    {
        subscriber = getNodeHandle().subscribe<Message>(TOPIC, QUEUE_SIZE, &Viewer::on_message, this);
    }
    void on_message(const Message::ConstPtr &message) { take_message(board_, message); }

    Board &board_;
};

// The manager of both nodelets. It owns them: a subscriber must be gone before the manager's queue that it names.
class Manager {
public:
    explicit Manager(const Options &options)
        : node_(options, "tokkyu_local"), loader_(Factory([this](const std::string &) { return std::move(next_); }))
    {
    }

    // The pointer is good until `unload`.
    template <class Made> Made *load(const std::string &name, const boost::shared_ptr<Made> &made)
    {
        next_ = made;
        if (!loader_.load(name, name, {}, {}))
            throw Failure("the nodelet " + name + " was not loaded");
        return made.get();
    }
    void unload(const std::string &name) { loader_.unload(name); }

private:
    using Factory = boost::function<boost::shared_ptr<nodelet::Nodelet>(const std::string &)>;

    Node node_;
    // What the loader is given when it asks its factory.
    boost::shared_ptr<nodelet::Nodelet> next_;
    nodelet::Loader loader_;
};

class ViewerReceiver : public Receiver {
public:
    ViewerReceiver(Manager &manager, Board &board)
        : manager_(manager), viewer_(manager.load("/viewer", boost::make_shared<Viewer>(board)))
    {
    }
    ~ViewerReceiver() override { manager_.unload("/viewer"); }

    bool is_matched() override { return viewer_->subscriber.getNumPublishers() > 0; }

private:
    Manager &manager_;
    Viewer *const viewer_;
};

class CameraSender : public Sender {
public:
    CameraSender(Manager &manager, const Options &options)
        : manager_(manager), camera_(manager.load("/camera", boost::make_shared<Camera>())), bytes_(options.bytes)
    {
    }
    ~CameraSender() override { manager_.unload("/camera"); }

    bool is_matched() override { return camera_->publisher.getNumSubscribers() > 0; }
    std::uint8_t *loan() override
    {
        message_ = make_message(bytes_);
        return message_->data.data();
    }
    void publish() override
    {
        camera_->publisher.publish(message_);
        message_.reset();
    }

private:
    Manager &manager_;
    Camera *const camera_;
    const std::uint32_t bytes_;
    Message::Ptr message_;
};

class NodeletPtr : public Peer {
public:
    Description description() const override
    {
        const std::string version = std::to_string(NODELET_VERSION_MAJOR) + "." + std::to_string(NODELET_VERSION_MINOR)
                                  + "." + std::to_string(NODELET_VERSION_PATCH);
        return {"nodelet-ptr", 0, 1, "nodelet", version};
    }
    bool needs_master() const override { return true; }
    std::unique_ptr<Receiver> open_receiver(const Options &options, Board &board) override
    {
        manager_ = std::make_unique<Manager>(options);
        return std::make_unique<ViewerReceiver>(*manager_, board);
    }
    std::unique_ptr<Sender> open_sender(const Options &options) override
    {
        return std::make_unique<CameraSender>(*manager_, options);
    }

private:
    std::unique_ptr<Manager> manager_;
};

} // namespace
} // namespace local

int main(int argc, char **argv)
{
    local::NodeletPtr peer;
    return local::run_peer(peer, argc, argv);
}
