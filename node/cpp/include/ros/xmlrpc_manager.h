// What others may ask of the node by XML-RPC. Only "shutdown" can be a function of the program's:
//
//   ros::XMLRPCManager::instance()->unbind("shutdown");
//   ros::XMLRPCManager::instance()->bind("shutdown", on_shutdown);   // then the program calls ros::shutdown() itself, when it is ready
#pragma once
#include <boost/function.hpp>
#include <boost/make_shared.hpp>
#include <boost/shared_ptr.hpp>
#include <ros/common.h>
#include <ros/console.h>
#include <ros/detail/node.h>
#include <ros/network.h>
#include <string>
#include <xmlrpcpp/XmlRpc.h>

namespace ros {
namespace xmlrpc {

namespace detail {
template <typename T> XmlRpc::XmlRpcValue response(int code, const std::string &message, const T &value)
{
    XmlRpc::XmlRpcValue triple;
    triple[0] = code;
    triple[1] = message;
    triple[2] = value;
    return triple;
}
} // namespace detail

// A status (1: done), a text for people, and the answer.
inline XmlRpc::XmlRpcValue responseStr(int code, const std::string &msg, const std::string &response)
{
    return detail::response(code, msg, response);
}
inline XmlRpc::XmlRpcValue responseInt(int code, const std::string &msg, int response) { return detail::response(code, msg, response); }
inline XmlRpc::XmlRpcValue responseBool(int code, const std::string &msg, bool response)
{
    return detail::response(code, msg, XmlRpc::XmlRpcValue(response));
}

} // namespace xmlrpc

class XMLRPCManager;
typedef boost::shared_ptr<XMLRPCManager> XMLRPCManagerPtr;
// Parameters: the caller's name, and why. What is put into the result is not looked at: the caller is told 1.
typedef boost::function<void(XmlRpc::XmlRpcValue &, XmlRpc::XmlRpcValue &)> XMLRPCFunc;

class XMLRPCManager {
public:
    static const XMLRPCManagerPtr &instance()
    {
        static const XMLRPCManagerPtr *const manager = new XMLRPCManagerPtr(boost::make_shared<XMLRPCManager>());
        return *manager;
    }

    // Called from the network's thread, so it must not wait. False: there is a function already (unbind it), or the name is not "shutdown".
    bool bind(const std::string &function_name, const XMLRPCFunc &cb)
    {
        detail::ShutdownCall &call = detail::ShutdownCall::get();
        if (function_name != "shutdown") {
            ROS_ERROR("XMLRPCManager::bind(\"%s\"): only \"shutdown\" can be a function of the program's; offer a service instead",
                      function_name.c_str());
            return false;
        }
        if (call.is_set() || (detail::node() != nullptr && !call.is_taken())) return false;
        call.set([cb](const std::string &caller, const std::string &reason) {
            XmlRpc::XmlRpcValue parameters, result;
            parameters[0] = caller;
            parameters[1] = reason;
            cb(parameters, result);
        });
        return true;
    }
    // Until another is bound nothing happens when somebody asks.
    void unbind(const std::string &function_name)
    {
        if (function_name == "shutdown") detail::ShutdownCall::get().set(detail::ShutdownCall::Act());
    }

    // Of the node, once it runs.
    std::string getServerURI() const { return detail::node() == nullptr ? "" : detail::take(tk_node_about(detail::node(), TK_URI)); }
    uint32_t getServerPort() const
    {
        std::string host;
        uint32_t port = 0;
        return network::splitURI(getServerURI(), host, port) ? port : 0;
    }
};

} // namespace ros
