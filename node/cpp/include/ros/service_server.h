// A service that the node offers.
#pragma once
#include <atomic>
#include <boost/shared_ptr.hpp>
#include <ros/detail/carrier.h>
#include <ros/detail/node.h>
#include <string>
#include <vector>

namespace ros {

// Copies are the same service, which is offered as long as one of them is there.
class ServiceServer {
    friend class NodeHandle;

public:
    ServiceServer() = default;

    void shutdown()
    {
        if (shared_) shared_->end();
    }
    std::string getService() const { return is_valid() ? detail::take(tk_server_service(shared_->server)) : std::string(); }

    operator void *() const { return is_valid() ? reinterpret_cast<void *>(1) : nullptr; }
    bool operator<(const ServiceServer &other) const { return shared_ < other.shared_; }
    bool operator==(const ServiceServer &other) const { return shared_ == other.shared_; }
    bool operator!=(const ServiceServer &other) const { return shared_ != other.shared_; }

    // From NodeHandle::advertiseService.
    explicit ServiceServer(tk_server *server, const detail::CarrierPtr &carrier = nullptr)
        : shared_(new Shared(server, carrier))
    {
    }

private:
    struct Shared {
        std::atomic<tk_server *> server;
        // To a queue of the program's own class.
        const detail::CarrierPtr carrier;
        detail::Hold hold;

        Shared(tk_server *made, const detail::CarrierPtr &by) : server(made), carrier(by) {}
        void end()
        {
            // It may be ended from within its callback as well.
            tk_server *const ending = server.exchange(nullptr);
            if (ending != nullptr) detail::end_by(carrier, [ending] { tk_server_free(ending); });
            hold.release();
        }
        ~Shared() { end(); }
    };

    bool is_valid() const { return shared_ && shared_->server != nullptr; }

    boost::shared_ptr<Shared> shared_;
};
typedef std::vector<ServiceServer> V_ServiceServer;

} // namespace ros
