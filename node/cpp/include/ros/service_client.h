// Calls a service of another node.
#pragma once
#include <boost/shared_ptr.hpp>
#include <mutex>
#include <ros/console.h>
#include <ros/detail/node.h>
#include <ros/duration.h>
#include <ros/serialization.h>
#include <ros/service_traits.h>
#include <string>
#include <vector>

namespace ros {

// Copies share the connection, if it is a persistent one. One call at a time.
class ServiceClient {
public:
    ServiceClient() = default;

    // Waits for the answer. False: there is none, and the log says why.
    template <class MReq, class MRes> bool call(MReq &request, MRes &response)
    {
        return call(request, response, service_traits::md5sum(request));
    }
    template <class Service> bool call(Service &service)
    {
        return call(service.request, service.response, service_traits::md5sum(service));
    }
    template <typename MReq, typename MRes> bool call(const MReq &request, MRes &response, const std::string &md5sum)
    {
        if (!is_valid()) return false;
        if (md5sum != shared_->md5sum) {
            ROS_ERROR("Call to service [%s] with md5sum [%s] does not match md5sum when the handle was created ([%s])",
                      shared_->name.c_str(), md5sum.c_str(), shared_->md5sum.c_str());
            return false;
        }
        std::vector<uint8_t> bytes(serialization::serializationLength(request));
        serialization::OStream out(bytes.data(), static_cast<uint32_t>(bytes.size()));
        serialization::serialize(out, request);
        std::vector<uint8_t> answer;
        {
            std::lock_guard<std::mutex> lock(shared_->mutex);
            if (!tk_client_call(shared_->client, bytes.data(), bytes.size(), &keep, &answer)) {
                ROS_ERROR("%s", tk_last_error());
                return false;
            }
        }
        return read(answer, response);
    }

    // Of a persistent one: whether its connection is there. Once it is lost it stays so: another client is to be made.
    bool isValid() const { return is_valid() && (!shared_->is_persistent || shared_->is_connected()); }
    bool isPersistent() const { return shared_ && shared_->is_persistent; }
    bool exists() { return is_valid() && tk_client_exists(shared_->client); }
    // timeout less than 0: as long as the node runs. The log says that it waits, and when that was worth it.
    bool waitForExistence(Duration timeout = Duration(-1))
    {
        if (exists()) return true;
        if (!is_valid()) return false;
        tell_that_it_waits();
        const bool is_there = tk_client_wait(shared_->client, timeout < Duration(0) ? -1 : timeout.toNSec());
        if (is_there) ROS_LOG(console::levels::Info, "ros.roscpp", "waitForService: Service [%s] is now available.", shared_->name.c_str());
        return is_there;
    }
    void tell_that_it_waits() const
    {
        ROS_LOG(console::levels::Info, "ros.roscpp", "waitForService: Service [%s] has not been advertised, waiting...", shared_->name.c_str());
    }
    std::string getService() { return shared_ ? shared_->name : std::string(); }
    // Ends the connection of a persistent one; others have none.
    void shutdown()
    {
        if (isPersistent()) shared_.reset();
    }

    operator void *() const { return isValid() ? reinterpret_cast<void *>(1) : nullptr; }
    bool operator<(const ServiceClient &other) const { return shared_ < other.shared_; }
    bool operator==(const ServiceClient &other) const { return shared_ == other.shared_; }
    bool operator!=(const ServiceClient &other) const { return shared_ != other.shared_; }

    // From NodeHandle::serviceClient.
    ServiceClient(tk_client *client, std::string name, std::string md5sum, bool is_persistent)
        : shared_(new Shared{client, std::move(name), std::move(md5sum), is_persistent, {}})
    {
    }

private:
    struct Shared {
        tk_client *client;
        std::string name, md5sum;
        bool is_persistent;
        std::mutex mutex;
        ~Shared() { tk_client_free(client); }

        bool is_connected()
        {
            // While it is called its connection is there, or that call will say that it is not.
            const std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
            return !lock.owns_lock() || tk_client_is_connected(client);
        }
    };

    bool is_valid() const { return shared_ && shared_->client != nullptr; }

    static void keep(void *user, const uint8_t *bytes, size_t len)
    {
        static_cast<std::vector<uint8_t> *>(user)->assign(bytes, bytes + len);
    }
    template <typename MRes> bool read(std::vector<uint8_t> &answer, MRes &response)
    {
        try {
            serialization::IStream stream(answer.data(), static_cast<uint32_t>(answer.size()));
            serialization::deserialize(stream, response);
            return true;
        } catch (const std::exception &error) {
            ROS_ERROR("Exception thrown while deserializing the answer of [%s]: %s", shared_->name.c_str(), error.what());
            return false;
        }
    }

    boost::shared_ptr<Shared> shared_;
};

} // namespace ros
