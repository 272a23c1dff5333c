// How a subscriber wants to be reached.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace ros {

class TransportHints {
public:
    TransportHints &reliable()
    {
        transports_.push_back("TCP");
        return *this;
    }
    TransportHints &tcp() { return reliable(); }
    // Small messages are sent at once.
    TransportHints &tcpNoDelay(bool nodelay = true)
    {
        options_["tcp_nodelay"] = nodelay ? "true" : "false";
        return *this;
    }
    bool getTCPNoDelay() const
    {
        const auto found = options_.find("tcp_nodelay");
        return found != options_.end() && found->second == "true";
    }
    // There is no UDPROS here: TCP it is.
    TransportHints &unreliable()
    {
        transports_.push_back("UDP");
        return *this;
    }
    TransportHints &udp() { return unreliable(); }
    TransportHints &maxDatagramSize(int size)
    {
        options_["max_datagram_size"] = std::to_string(size);
        return *this;
    }
    int getMaxDatagramSize() const
    {
        const auto found = options_.find("max_datagram_size");
        return found == options_.end() ? 0 : std::stoi(found->second);
    }
    const std::vector<std::string> &getTransports() const { return transports_; }
    const std::map<std::string, std::string> &getOptions() const { return options_; }

private:
    std::vector<std::string> transports_;
    std::map<std::string, std::string> options_;
};

} // namespace ros
