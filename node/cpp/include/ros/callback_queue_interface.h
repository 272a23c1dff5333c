// Something that is called from a queue, and queues as others see them.
#pragma once
#include <boost/shared_ptr.hpp>
#include <cstdint>

namespace ros {

class CallbackInterface {
public:
    enum CallResult {
        Success,  // it was called
        TryAgain, // not now
        Invalid   // never
    };
    virtual ~CallbackInterface() {}
    virtual CallResult call() = 0;
    virtual bool ready() { return true; }
};
typedef boost::shared_ptr<CallbackInterface> CallbackInterfacePtr;

class CallbackQueueInterface {
public:
    virtual ~CallbackQueueInterface() {}
    virtual void addCallback(const CallbackInterfacePtr &callback, uint64_t owner_id = 0) = 0;
    virtual void removeByID(uint64_t owner_id) = 0;
};

} // namespace ros
