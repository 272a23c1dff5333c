// A program's way to its node: topics, services, parameters, timers.
#pragma once
#include <boost/bind/bind.hpp>
#include <ros/advertise_options.h>
#include <ros/advertise_service_options.h>
#include <ros/callback_queue.h>
#include <ros/detail/carrier.h>
#include <ros/detail/made.h>
#include <ros/detail/node.h>
#include <ros/detail/status_teller.h>
#include <ros/exceptions.h>
#include <ros/forwards.h>
#include <ros/init.h>
#include <ros/names.h>
#include <ros/param.h>
#include <ros/publisher.h>
#include <ros/rate.h>
#include <ros/service_client.h>
#include <ros/service_client_options.h>
#include <ros/service_server.h>
#include <ros/single_subscriber_publisher.h>
#include <ros/subscribe_options.h>
#include <ros/subscriber.h>
#include <ros/this_node.h>
#include <ros/timer.h>
#include <string>
#include <vector>

namespace ros {

// The first one starts the node. It ends with the last handle, and the last publisher, subscriber and service that was made with one. Names are
// resolved in the handle's namespace, then renamed.
class NodeHandle {
public:
    NodeHandle(const std::string &ns = std::string(), const M_string &remappings = M_string())
    {
        begin();
        const bool is_private = !ns.empty() && ns[0] == '~';
        namespace_ = is_private || !ns.empty() ? names::resolve(ns, true) : this_node::getNamespace();
        unresolved_namespace_ = is_private ? namespace_ : ns;
        add_remappings(remappings);
    }
    NodeHandle(const NodeHandle &parent, const std::string &ns) : NodeHandle(parent, ns, M_string()) {}
    NodeHandle(const NodeHandle &parent, const std::string &ns, const M_string &remappings)
        : remappings_(parent.remappings_), callback_queue_(parent.callback_queue_)
    {
        begin();
        namespace_ = names::append(parent.namespace_, ns);
        unresolved_namespace_ = ns;
        add_remappings(remappings);
    }
    NodeHandle(const NodeHandle &other)
        : namespace_(other.namespace_), unresolved_namespace_(other.unresolved_namespace_), remappings_(other.remappings_),
          callback_queue_(other.callback_queue_)
    {
        detail::ThisNode::get().add_handle();
    }
    NodeHandle &operator=(const NodeHandle &other)
    {
        namespace_ = other.namespace_;
        unresolved_namespace_ = other.unresolved_namespace_;
        remappings_ = other.remappings_;
        callback_queue_ = other.callback_queue_;
        return *this;
    }
    ~NodeHandle() { detail::ThisNode::get().remove_handle(); }

    // What is made with this handle from now on has its callbacks there.
    void setCallbackQueue(CallbackQueueInterface *queue) { callback_queue_ = queue; }
    CallbackQueueInterface *getCallbackQueue() const
    {
        return callback_queue_ ? callback_queue_ : static_cast<CallbackQueueInterface *>(getGlobalCallbackQueue());
    }
    const std::string &getNamespace() const { return namespace_; }
    const std::string &getUnresolvedNamespace() const { return unresolved_namespace_; }

    // Throws InvalidNameException.
    std::string resolveName(const std::string &name, bool remap = true) const
    {
        if (!name.empty() && name[0] == '~') {
            throw InvalidNameException("Using ~ names with NodeHandle methods is not allowed.  If you want to use private "
                                       "names with the NodeHandle interface, construct a NodeHandle using a private name as "
                                       "its namespace.  e.g. ros::NodeHandle nh(\"~\");  nh.getParam(\"my_private_name\");  (name = [" +
                                       name + "])");
        }
        std::string error;
        if (!names::validate(name, error)) throw InvalidNameException(error);
        std::string resolved = name.empty() ? namespace_ : name[0] == '/' ? name : names::append(namespace_, name);
        resolved = names::clean(resolved);
        if (remap) {
            const auto found = remappings_.find(resolved);
            resolved = found == remappings_.end() ? names::remap(resolved) : found->second;
        }
        return names::resolve(resolved, false);
    }

    // ---- Topics ----

    template <class M> Publisher advertise(const std::string &topic, uint32_t queue_size, bool latch = false)
    {
        AdvertiseOptions options;
        options.init<M>(topic, queue_size);
        options.latch = latch;
        return advertise(options);
    }
    template <class M>
    Publisher advertise(const std::string &topic, uint32_t queue_size, const SubscriberStatusCallback &connect_cb,
                        const SubscriberStatusCallback &disconnect_cb = SubscriberStatusCallback(),
                        const VoidConstPtr &tracked_object = VoidConstPtr(), bool latch = false)
    {
        AdvertiseOptions options;
        options.init<M>(topic, queue_size, connect_cb, disconnect_cb);
        options.tracked_object = tracked_object;
        options.latch = latch;
        return advertise(options);
    }
    // Throws InvalidNameException, InvalidParameterException. Of a topic that the node has with another type, the result is empty.
    Publisher advertise(AdvertiseOptions &options);

    // With a member function: of a message, of a pointer to one, of an event.
    template <class M, class T>
    Subscriber subscribe(const std::string &topic, uint32_t queue_size, void (T::*fp)(M), T *obj,
                         const TransportHints &hints = TransportHints())
    {
        return subscribe_to<M>(topic, queue_size, boost::bind(fp, obj, boost::placeholders::_1), VoidConstPtr(), hints);
    }
    template <class M, class T>
    Subscriber subscribe(const std::string &topic, uint32_t queue_size, void (T::*fp)(M) const, T *obj,
                         const TransportHints &hints = TransportHints())
    {
        return subscribe_to<M>(topic, queue_size, boost::bind(fp, obj, boost::placeholders::_1), VoidConstPtr(), hints);
    }
    // Of an object that may go: then it is not called.
    template <class M, class T>
    Subscriber subscribe(const std::string &topic, uint32_t queue_size, void (T::*fp)(M), const boost::shared_ptr<T> &obj,
                         const TransportHints &hints = TransportHints())
    {
        return subscribe_to<M>(topic, queue_size, boost::bind(fp, obj.get(), boost::placeholders::_1), obj, hints);
    }
    template <class M, class T>
    Subscriber subscribe(const std::string &topic, uint32_t queue_size, void (T::*fp)(M) const,
                         const boost::shared_ptr<T> &obj, const TransportHints &hints = TransportHints())
    {
        return subscribe_to<M>(topic, queue_size, boost::bind(fp, obj.get(), boost::placeholders::_1), obj, hints);
    }
    // With a function.
    template <class M>
    Subscriber subscribe(const std::string &topic, uint32_t queue_size, void (*fp)(M),
                         const TransportHints &hints = TransportHints())
    {
        return subscribe_to<M>(topic, queue_size, boost::function<void(M)>(fp), VoidConstPtr(), hints);
    }
    // The same where the program names the message and the callback takes a pointer to it: subscribe<std_msgs::String>(..., &Class::on_string, this).
    template <class M, class T>
    Subscriber subscribe(const std::string &topic, uint32_t queue_size, void (T::*fp)(const boost::shared_ptr<M const> &),
                         T *obj, const TransportHints &hints = TransportHints())
    {
        return subscribe_to<Shared<M>>(topic, queue_size, boost::bind(fp, obj, boost::placeholders::_1), VoidConstPtr(), hints);
    }
    template <class M, class T>
    Subscriber subscribe(const std::string &topic, uint32_t queue_size,
                         void (T::*fp)(const boost::shared_ptr<M const> &) const, T *obj,
                         const TransportHints &hints = TransportHints())
    {
        return subscribe_to<Shared<M>>(topic, queue_size, boost::bind(fp, obj, boost::placeholders::_1), VoidConstPtr(), hints);
    }
    template <class M, class T>
    Subscriber subscribe(const std::string &topic, uint32_t queue_size, void (T::*fp)(const boost::shared_ptr<M const> &),
                         const boost::shared_ptr<T> &obj, const TransportHints &hints = TransportHints())
    {
        return subscribe_to<Shared<M>>(topic, queue_size, boost::bind(fp, obj.get(), boost::placeholders::_1), obj, hints);
    }
    template <class M, class T>
    Subscriber subscribe(const std::string &topic, uint32_t queue_size,
                         void (T::*fp)(const boost::shared_ptr<M const> &) const, const boost::shared_ptr<T> &obj,
                         const TransportHints &hints = TransportHints())
    {
        return subscribe_to<Shared<M>>(topic, queue_size, boost::bind(fp, obj.get(), boost::placeholders::_1), obj, hints);
    }
    // Without hints it is one of those that can be called, below: a lambda would fit both.
    template <class M>
    Subscriber subscribe(const std::string &topic, uint32_t queue_size, void (*fp)(const boost::shared_ptr<M const> &),
                         const TransportHints &hints)
    {
        return subscribe_to<Shared<M>>(topic, queue_size, fp, VoidConstPtr(), hints);
    }
    // With anything that can be called: subscribe<std_msgs::String>(..., lambda).
    template <class M>
    Subscriber subscribe(const std::string &topic, uint32_t queue_size,
                         const boost::function<void(const boost::shared_ptr<M const> &)> &callback,
                         const VoidConstPtr &tracked_object = VoidConstPtr(),
                         const TransportHints &hints = TransportHints())
    {
        return subscribe_to<const boost::shared_ptr<M const> &>(topic, queue_size, callback, tracked_object, hints);
    }
    template <class M, class C>
    Subscriber subscribe(const std::string &topic, uint32_t queue_size, const boost::function<void(C)> &callback,
                         const VoidConstPtr &tracked_object = VoidConstPtr(),
                         const TransportHints &hints = TransportHints())
    {
        return subscribe_to<C>(topic, queue_size, callback, tracked_object, hints);
    }
    // Throws InvalidNameException, ConflictingSubscriptionException.
    Subscriber subscribe(SubscribeOptions &options);

    // ---- Services ----

    template <class T, class MReq, class MRes>
    ServiceServer advertiseService(const std::string &service, bool (T::*srv_func)(MReq &, MRes &), T *obj)
    {
        return offer<MReq, MRes>(service, boost::bind(srv_func, obj, boost::placeholders::_1, boost::placeholders::_2),
                                 VoidConstPtr());
    }
    template <class T, class MReq, class MRes>
    ServiceServer advertiseService(const std::string &service, bool (T::*srv_func)(MReq &, MRes &),
                                   const boost::shared_ptr<T> &obj)
    {
        return offer<MReq, MRes>(service, boost::bind(srv_func, obj.get(), boost::placeholders::_1, boost::placeholders::_2),
                                 obj);
    }
    template <class T, class MReq, class MRes>
    ServiceServer advertiseService(const std::string &service, bool (T::*srv_func)(ServiceEvent<MReq, MRes> &), T *obj)
    {
        return offer_event<MReq, MRes>(service, boost::bind(srv_func, obj, boost::placeholders::_1), VoidConstPtr());
    }
    template <class T, class MReq, class MRes>
    ServiceServer advertiseService(const std::string &service, bool (T::*srv_func)(ServiceEvent<MReq, MRes> &),
                                   const boost::shared_ptr<T> &obj)
    {
        return offer_event<MReq, MRes>(service, boost::bind(srv_func, obj.get(), boost::placeholders::_1), obj);
    }
    template <class MReq, class MRes>
    ServiceServer advertiseService(const std::string &service, bool (*srv_func)(MReq &, MRes &))
    {
        return offer<MReq, MRes>(service, srv_func, VoidConstPtr());
    }
    template <class MReq, class MRes>
    ServiceServer advertiseService(const std::string &service, bool (*srv_func)(ServiceEvent<MReq, MRes> &))
    {
        return offer_event<MReq, MRes>(service, srv_func, VoidConstPtr());
    }
    template <class MReq, class MRes>
    ServiceServer advertiseService(const std::string &service, const boost::function<bool(MReq &, MRes &)> &callback,
                                   const VoidConstPtr &tracked_object = VoidConstPtr())
    {
        return offer<MReq, MRes>(service, callback, tracked_object);
    }
    template <class S>
    ServiceServer advertiseService(const std::string &service, const boost::function<bool(S &)> &callback,
                                   const VoidConstPtr &tracked_object = VoidConstPtr())
    {
        return offer_event<typename S::RequestType, typename S::ResponseType>(service, callback, tracked_object);
    }
    // Throws InvalidNameException. Of a service that the node offers already, the result is empty.
    ServiceServer advertiseService(AdvertiseServiceOptions &options);

    template <class MReq, class MRes>
    ServiceClient serviceClient(const std::string &service, bool persistent = false, const M_string &header = M_string())
    {
        ServiceClientOptions options;
        options.init<MReq, MRes>(service, persistent, header);
        return serviceClient(options);
    }
    template <class Service>
    ServiceClient serviceClient(const std::string &service, bool persistent = false, const M_string &header = M_string())
    {
        ServiceClientOptions options;
        options.init<Service>(service, persistent, header);
        return serviceClient(options);
    }
    ServiceClient serviceClient(ServiceClientOptions &options)
    {
        const tk_kind kind = {options.datatype.c_str(), options.md5sum.c_str(), ""};
        const std::string name = resolveName(options.service);
        return ServiceClient(tk_client_new(detail::node(), name.c_str(), &kind, options.persistent), name, options.md5sum,
                             options.persistent);
    }

    // ---- Timers ----

    template <class Handler, class Obj>
    Timer createTimer(Rate r, Handler h, Obj o, bool oneshot = false, bool autostart = true) const
    {
        return createTimer(r.expectedCycleTime(), h, o, oneshot, autostart);
    }
    template <class T>
    Timer createTimer(Duration period, void (T::*callback)(const TimerEvent &) const, T *obj, bool oneshot = false,
                      bool autostart = true) const
    {
        return make_timer<Timer, TimerOptions>(period, boost::bind(callback, obj, boost::placeholders::_1), {}, oneshot, autostart);
    }
    template <class T>
    Timer createTimer(Duration period, void (T::*callback)(const TimerEvent &), T *obj, bool oneshot = false,
                      bool autostart = true) const
    {
        return make_timer<Timer, TimerOptions>(period, boost::bind(callback, obj, boost::placeholders::_1), {}, oneshot, autostart);
    }
    template <class T>
    Timer createTimer(Duration period, void (T::*callback)(const TimerEvent &), const boost::shared_ptr<T> &obj,
                      bool oneshot = false, bool autostart = true) const
    {
        return make_timer<Timer, TimerOptions>(period, boost::bind(callback, obj.get(), boost::placeholders::_1), obj, oneshot,
                                               autostart);
    }
    Timer createTimer(Duration period, const TimerCallback &callback, bool oneshot = false, bool autostart = true) const
    {
        return make_timer<Timer, TimerOptions>(period, callback, {}, oneshot, autostart);
    }
    Timer createTimer(TimerOptions &options) const { return make_timer<Timer>(options); }

    template <class T>
    WallTimer createWallTimer(WallDuration period, void (T::*callback)(const WallTimerEvent &), T *obj, bool oneshot = false,
                              bool autostart = true) const
    {
        return make_timer<WallTimer, WallTimerOptions>(period, boost::bind(callback, obj, boost::placeholders::_1), {}, oneshot,
                                                       autostart);
    }
    template <class T>
    WallTimer createWallTimer(WallDuration period, void (T::*callback)(const WallTimerEvent &),
                              const boost::shared_ptr<T> &obj, bool oneshot = false, bool autostart = true) const
    {
        return make_timer<WallTimer, WallTimerOptions>(period, boost::bind(callback, obj.get(), boost::placeholders::_1), obj,
                                                       oneshot, autostart);
    }
    WallTimer createWallTimer(WallDuration period, const WallTimerCallback &callback, bool oneshot = false,
                              bool autostart = true) const
    {
        return make_timer<WallTimer, WallTimerOptions>(period, callback, {}, oneshot, autostart);
    }
    WallTimer createWallTimer(WallTimerOptions &options) const { return make_timer<WallTimer>(options); }

    template <class T>
    SteadyTimer createSteadyTimer(WallDuration period, void (T::*callback)(const SteadyTimerEvent &), T *obj,
                                  bool oneshot = false, bool autostart = true) const
    {
        return make_timer<SteadyTimer, SteadyTimerOptions>(period, boost::bind(callback, obj, boost::placeholders::_1), {},
                                                           oneshot, autostart);
    }
    template <class T>
    SteadyTimer createSteadyTimer(WallDuration period, void (T::*callback)(const SteadyTimerEvent &),
                                  const boost::shared_ptr<T> &obj, bool oneshot = false, bool autostart = true) const
    {
        return make_timer<SteadyTimer, SteadyTimerOptions>(period, boost::bind(callback, obj.get(), boost::placeholders::_1),
                                                           obj, oneshot, autostart);
    }
    SteadyTimer createSteadyTimer(WallDuration period, const SteadyTimerCallback &callback, bool oneshot = false,
                                  bool autostart = true) const
    {
        return make_timer<SteadyTimer, SteadyTimerOptions>(period, callback, {}, oneshot, autostart);
    }
    SteadyTimer createSteadyTimer(SteadyTimerOptions &options) const { return make_timer<SteadyTimer>(options); }

    // ---- Parameters ----

    template <typename T> void setParam(const std::string &key, const T &value) const { param::set(resolveName(key), value); }
    template <typename T> bool getParam(const std::string &key, T &value) const { return param::get(resolveName(key), value); }
    template <typename T> bool getParamCached(const std::string &key, T &value) const
    {
        return param::getCached(resolveName(key), value);
    }
    bool hasParam(const std::string &key) const { return param::has(resolveName(key)); }
    bool deleteParam(const std::string &key) const { return param::del(resolveName(key)); }
    bool searchParam(const std::string &key, std::string &result) const { return param::search(namespace_, key, result); }
    bool getParamNames(std::vector<std::string> &keys) const { return param::getParamNames(keys); }
    template <typename T> bool param(const std::string &name, T &value, const T &default_value) const
    {
        if (getParam(name, value)) return true;
        value = default_value;
        return false;
    }
    template <typename T> T param(const std::string &name, const T &default_value) const
    {
        T value;
        param(name, value, default_value);
        return value;
    }

    // Ends the publishers, subscriptions and services that were made with this very handle, and waits for their callbacks
    // that other threads are in (NODE-110). The node goes on.
    void shutdown() { made_.end(); }
    bool ok() const { return ros::ok() && !made_.is_over(); }

private:
    void begin()
    {
        if (!isInitialized()) {
            ROS_FATAL("You must call ros::init() before creating the first NodeHandle");
            detail::broken("ros::NodeHandle without ros::init", __FILE__, __LINE__);
        }
        detail::ThisNode::get().add_handle();
    }
    void add_remappings(const M_string &remappings)
    {
        for (const auto &pair : remappings) remappings_[resolveName(pair.first, false)] = resolveName(pair.second, false);
    }
    template <class M> using Shared = const boost::shared_ptr<M const> &;

    CallbackQueueInterface *queue_of(CallbackQueueInterface *queue) const { return queue ? queue : callback_queue_; }

    template <class P>
    Subscriber subscribe_to(const std::string &topic, uint32_t queue_size, const boost::function<void(P)> &callback,
                            const VoidConstPtr &tracked_object, const TransportHints &hints)
    {
        SubscribeOptions options;
        options.initByFullCallbackType<P>(topic, queue_size, callback);
        options.tracked_object = tracked_object;
        options.transport_hints = hints;
        return subscribe(options);
    }
    template <class MReq, class MRes>
    ServiceServer offer(const std::string &service, const boost::function<bool(MReq &, MRes &)> &callback,
                        const VoidConstPtr &tracked_object)
    {
        AdvertiseServiceOptions options;
        options.init<MReq, MRes>(service, callback);
        options.tracked_object = tracked_object;
        return advertiseService(options);
    }
    template <class MReq, class MRes>
    ServiceServer offer_event(const std::string &service,
                              const boost::function<bool(ServiceEvent<MReq, MRes> &)> &callback,
                              const VoidConstPtr &tracked_object)
    {
        AdvertiseServiceOptions options;
        options.initBySpecType<MReq, MRes>(service, callback);
        options.tracked_object = tracked_object;
        return advertiseService(options);
    }
    template <class T, class Options, class Span, class Callback>
    T make_timer(Span period, const Callback &callback, const VoidConstPtr &tracked, bool oneshot, bool autostart) const
    {
        Options options(period, callback, nullptr, oneshot, autostart);
        options.tracked_object = tracked;
        return make_timer<T>(options);
    }
    template <class T, class Options> T make_timer(Options options) const
    {
        if (options.callback_queue == nullptr) options.callback_queue = callback_queue_;
        return T(options);
    }

    std::string namespace_, unresolved_namespace_;
    M_string remappings_;
    CallbackQueueInterface *callback_queue_ = nullptr;
    // Of this handle alone: copies have their own.
    detail::Made made_;
};

namespace detail {

// Throws InvalidParameterException: what is published has one type, which is known.
inline void check_kind(const std::string &topic, const std::string &datatype, const std::string &md5sum, const std::string &definition)
{
    const auto check = [&topic](const char *what, const std::string &value, bool is_any_wrong) {
        if (value.empty() || (is_any_wrong && value == "*"))
            throw InvalidParameterException("[" + topic + "] cannot be advertised with the " + what + " [" + value + "]: give that of a message");
    };
    check("type", datatype, true);
    check("md5sum", md5sum, true);
    if (definition.empty()) ROS_WARN("[%s] is advertised without its message's definition: tools such as rosbag need it", topic.c_str());
}

// A subscription's callback with what it belongs to.
struct Delivering {
    SubscriptionCallbackHelperPtr helper;
    Tracked tracked;
    CarrierPtr carrier;

    static void call(void *self, tk_delivery *delivery)
    {
        auto *const delivering = static_cast<Delivering *>(self);
        act_by(delivering->carrier, [delivering, delivery] {
            VoidConstPtr held;
            if (delivering->tracked.hold(held)) delivering->helper->call(delivery);
        });
    }
    static void free(void *self) { delete static_cast<Delivering *>(self); }
};

struct Answering {
    ServiceCallPtr service;
    Tracked tracked;
    CarrierPtr carrier;

    static void call(void *self, const char *callerid, const uint8_t *request, size_t len, tk_answer *answer)
    {
        auto *const answering = static_cast<Answering *>(self);
        act_by(answering->carrier, [=] {
            VoidConstPtr held;
            if (answering->tracked.hold(held)) answering->service->call(callerid, request, len, answer);
        });
    }
    static void free(void *self) { delete static_cast<Answering *>(self); }
};

} // namespace detail

inline Publisher NodeHandle::advertise(AdvertiseOptions &options)
{
    const std::string topic = resolveName(options.topic);
    detail::check_kind(topic, options.datatype, options.md5sum, options.message_definition);
    const tk_kind kind = {options.datatype.c_str(), options.md5sum.c_str(), options.message_definition.c_str()};
    CallbackQueueInterface *const queue = options.callback_queue ? options.callback_queue : getCallbackQueue();
    const auto teller =
        boost::make_shared<detail::StatusTeller>(topic, options.connect_cb, options.disconnect_cb, queue, options.tracked_object);
    tk_publisher_options wanted = {options.queue_size, options.latch, 0, nullptr, nullptr, nullptr};
    if (teller->is_wanted()) {
        wanted.on_change = &detail::StatusTeller::on_change;
        wanted.user = new boost::shared_ptr<detail::StatusTeller>(teller);
        wanted.free_user = &detail::StatusTeller::free;
    }
    tk_publisher *const publisher = tk_advertise(detail::node(), topic.c_str(), &kind, &wanted);
    if (publisher == nullptr) {
        if (ros::ok()) ROS_ERROR("%s", tk_last_error());
        return Publisher();
    }
    const auto end = teller->is_wanted() ? std::function<void()>([teller] { teller->end(); }) : nullptr;
    const Publisher made(publisher, options.md5sum, options.datatype, end);
    made_.add(made.shared_);
    teller->begin(Publisher::Weak(made));
    return made;
}

inline Subscriber NodeHandle::subscribe(SubscribeOptions &options)
{
    const std::string topic = resolveName(options.topic);
    const tk_kind kind = {options.datatype.c_str(), options.md5sum.c_str(), ""};
    CallbackQueueInterface *const queue = queue_of(options.callback_queue);
    const auto carrier = detail::Carrier::of(queue);
    auto *const delivering = new detail::Delivering{options.helper, options.tracked_object, carrier};
    const tk_subscription_options wanted = {options.queue_size, options.transport_hints.getTCPNoDelay(), 0,
                                            &detail::Delivering::call, delivering, &detail::Delivering::free};
    tk_subscription *const subscription =
        tk_subscribe(detail::node(), detail::queue_for(queue, carrier), topic.c_str(), &kind, &wanted);
    if (subscription == nullptr) {
        detail::end_by(carrier, [] {});
        if (!ros::ok()) return Subscriber();
        const std::string why = tk_last_error();
        if (!tk_node_publishes(detail::node(), topic.c_str())) throw ConflictingSubscriptionException(why);
        // Roscpp looks at subscriptions alone.
        ROS_ERROR("%s", why.c_str());
        return Subscriber();
    }
    const Subscriber made(subscription, carrier);
    made_.add(made.shared_);
    return made;
}

inline ServiceServer NodeHandle::advertiseService(AdvertiseServiceOptions &options)
{
    const std::string service = resolveName(options.service);
    const tk_kind kind = {options.datatype.c_str(), options.md5sum.c_str(), ""};
    CallbackQueueInterface *const queue = queue_of(options.callback_queue);
    const auto carrier = detail::Carrier::of(queue);
    const tk_server_options wanted = {&detail::Answering::call,
                                      new detail::Answering{options.call, options.tracked_object, carrier},
                                      &detail::Answering::free};
    tk_server *const server = tk_serve(detail::node(), detail::queue_for(queue, carrier), service.c_str(), &kind, &wanted);
    if (server == nullptr) {
        detail::end_by(carrier, [] {});
        ROS_ERROR("%s", tk_last_error());
        return ServiceServer();
    }
    const ServiceServer made(server, carrier);
    made_.add(made.shared_);
    return made;
}

} // namespace ros
