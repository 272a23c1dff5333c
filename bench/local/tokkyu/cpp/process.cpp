// tokkyu-local-process: our publisher, and our subscription in another process, which read the same memory.
#include "ours.hpp"

namespace local {
namespace {

class Process : public Peer {
public:
    Description description() const override { return {"tokkyu-process", 0, 2, "tokkyu", TOKKYU_VERSION}; }
    bool needs_master() const override { return true; }
    std::unique_ptr<Receiver> open_receiver(const Options &options, Board &board) override
    {
        return std::make_unique<OurReceiver>(options, board);
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
    local::Process peer;
    return local::run_peer(peer, argc, argv);
}
