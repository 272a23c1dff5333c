// Names that other headers need before what they name.
#pragma once
#include <boost/function.hpp>
#include <boost/make_shared.hpp>
#include <boost/shared_ptr.hpp>
#include <boost/weak_ptr.hpp>
#include <map>
#include <ros/datatypes.h>
#include <ros/detail/brought.h>
#include <ros/exceptions.h>
#include <ros/macros.h>
#include <set>
#include <string>
#include <vector>

namespace ros {

typedef boost::shared_ptr<void> VoidPtr;
typedef boost::weak_ptr<void> VoidWPtr;
typedef boost::shared_ptr<void const> VoidConstPtr;
typedef boost::weak_ptr<void const> VoidConstWPtr;

class NodeHandle;
typedef boost::shared_ptr<NodeHandle> NodeHandlePtr;
class SingleSubscriberPublisher;
typedef boost::function<void(const SingleSubscriberPublisher &)> SubscriberStatusCallback;
class CallbackQueueInterface;
class CallbackInterface;
typedef boost::shared_ptr<CallbackInterface> CallbackInterfacePtr;

// When a timer's callback should have been called and was; now and the time before.
struct TimerEvent;
typedef boost::function<void(const TimerEvent &)> TimerCallback;
struct WallTimerEvent;
typedef boost::function<void(const WallTimerEvent &)> WallTimerCallback;
struct SteadyTimerEvent;
typedef boost::function<void(const SteadyTimerEvent &)> SteadyTimerCallback;

namespace detail {

// What a callback belongs to. Once that is gone it is not called.
class Tracked {
public:
    Tracked() = default;
    Tracked(const VoidConstPtr &object) : object_(object), is_tracked_(object != nullptr) {}

    // Keeps it until the callback is over; false: it is gone.
    bool hold(VoidConstPtr &held) const
    {
        if (!is_tracked_) return true;
        held = object_.lock();
        return held != nullptr;
    }

private:
    VoidConstWPtr object_;
    bool is_tracked_ = false;
};

} // namespace detail
} // namespace ros
