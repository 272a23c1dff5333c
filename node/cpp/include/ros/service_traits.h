// Name and md5sum of a service type; its request and its response answer with those of the service.
#pragma once
#include <type_traits>

namespace ros {
namespace service_traits {

// 32 hexadecimal digits. As for the next one: what is not specialized is asked itself.
template <typename M> struct MD5Sum {
    static const char *value() { return M::__s_getServerMD5Sum().c_str(); }
    static const char *value(const M &m) { return m.__getServerMD5Sum().c_str(); }
};

// `PACKAGE/NAME`.
template <typename M> struct DataType {
    static const char *value() { return M::__s_getServiceDataType().c_str(); }
    static const char *value(const M &m) { return m.__getServiceDataType().c_str(); }
};

namespace detail {
template <typename M> using Plain = typename std::remove_const<typename std::remove_reference<M>::type>::type;
}

template <typename M> const char *md5sum() { return MD5Sum<detail::Plain<M>>::value(); }
template <typename M> const char *md5sum(const M &m) { return MD5Sum<detail::Plain<M>>::value(m); }
template <typename M> const char *datatype() { return DataType<detail::Plain<M>>::value(); }
template <typename M> const char *datatype(const M &m) { return DataType<detail::Plain<M>>::value(m); }

} // namespace service_traits
} // namespace ros
