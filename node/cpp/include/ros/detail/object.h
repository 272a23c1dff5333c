// Messages as the node shares them: the very object that was published, or bytes that one is read from.
#pragma once
#include <boost/make_shared.hpp>
#include <boost/shared_ptr.hpp>
#include <ros/detail/node.h>
#include <ros/message_traits.h>
#include <ros/serialization.h>
#include <typeinfo>

namespace ros {
namespace detail {

// What the node can do with a boost::shared_ptr<M const>. There is one of these for each type.
template <typename M> class ObjectOps {
public:
    typedef boost::shared_ptr<M const> Pointer;

    static const tk_object_ops *get()
    {
        static const tk_object_ops ops = {&typeid(M), &wire_len, &write, &release};
        return &ops;
    }

    // The object behind a delivery, if it is an M.
    static const Pointer *of(const tk_delivery *delivery)
    {
        const tk_object_ops *ops = nullptr;
        const void *const object = tk_delivery_object(delivery, &ops);
        if (object == nullptr || *static_cast<const std::type_info *>(ops->type) != typeid(M)) return nullptr;
        return static_cast<const Pointer *>(object);
    }

private:
    static const M &message(const void *object) { return **static_cast<const Pointer *>(object); }
    static size_t wire_len(const void *object) { return serialization::serializationLength(message(object)); }
    static void write(const void *object, uint8_t *out, size_t len)
    {
        serialization::OStream stream(out, static_cast<uint32_t>(len));
        serialization::serialize(stream, message(object));
    }
    static void release(void *object) { delete static_cast<Pointer *>(object); }
};

template <typename M> tk_kind kind_of()
{
    return {message_traits::datatype<M>(), message_traits::md5sum<M>(), message_traits::definition<M>()};
}

} // namespace detail
} // namespace ros
