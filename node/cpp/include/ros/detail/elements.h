// The elements of vectors and arrays on the wire (NODE-36), in the quickest way that their type allows: all at once, as they
// lie in memory; each by itself, all of the same length; or each by itself.
//
// What the input says of lengths is not believed: no memory is taken for more elements than what is left of it can hold.
#pragma once
#include <algorithm>
#include <boost/array.hpp>
#include <cstring>
#include <memory>
#include <ros/detail/stream.h>
#include <ros/message_traits.h>
#include <type_traits>
#include <vector>

namespace ros {
namespace serialization {

template <typename T> struct Serializer;

namespace detail {

// Of elements that take no bytes at all, such as std_msgs/Empty, the input may announce this many.
constexpr uint32_t most_empty_elements = 65536;

// Throws if `count` elements of `each_bytes` are more than what is left.
template <typename Stream> void check_count(Stream &stream, uint32_t count, uint32_t each_bytes)
{
    const bool empty = each_bytes == 0;
    const bool there = empty ? count <= most_empty_elements : uint64_t{count} * each_bytes <= stream.getLength();
    if (!there) throwStreamOverrun();
}

// How many elements of `each_bytes` follow.
template <typename Stream> uint32_t read_count(Stream &stream, uint32_t each_bytes)
{
    uint32_t count;
    stream.next(count);
    check_count(stream, count, each_bytes);
    return count;
}

// As they lie in memory.
template <typename T> struct Simple {
    template <typename Stream, typename Elements> static void write(Stream &stream, const Elements &elements)
    {
        const uint32_t bytes = length(elements);
        if (bytes > 0) std::memcpy(stream.advance(bytes), elements.data(), bytes);
    }

    template <typename Stream, typename Elements> static void read(Stream &stream, Elements &elements)
    {
        const uint32_t bytes = length(elements);
        if (bytes > 0) std::memcpy(static_cast<void *>(elements.data()), stream.advance(bytes), bytes);
    }

    template <typename Stream, typename Vector> static void read_vector(Stream &stream, Vector &vector)
    {
        const uint32_t count = read_count(stream, sizeof(T));
        if (sizeof(T) == 1) {
            // Without writing zeros first.
            const T *first = reinterpret_cast<const T *>(stream.advance(count));
            vector.assign(first, first + count);
        } else {
            vector.resize(count);
            read(stream, vector);
        }
    }

    template <typename Elements> static uint32_t length(const Elements &elements)
    {
        return in_32_bits(uint64_t{elements.size()} * sizeof(T));
    }
};

// Each by itself.
template <typename T> struct Single {
    template <typename Stream, typename Elements> static void write(Stream &stream, const Elements &elements)
    {
        for (const T &element : elements) stream.next(element);
    }

    template <typename Stream, typename Elements> static void read(Stream &stream, Elements &elements)
    {
        for (T &element : elements) stream.next(element);
    }
};

// Each by itself, all of the same length.
template <typename T> struct Fixed : Single<T> {
    template <typename Stream, typename Vector> static void read_vector(Stream &stream, Vector &vector)
    {
        vector.resize(read_count(stream, serializationLength(T())));
        Fixed::read(stream, vector);
    }

    template <typename Elements> static uint32_t length(const Elements &elements)
    {
        if (elements.size() == 0) return 0;
        return in_32_bits(uint64_t{elements.size()} * serializationLength(*elements.begin()));
    }
};

// Each by itself, and nobody knows how long they are.
template <typename T> struct Varied : Single<T> {
    // Elements are made one by one, each when those before it were there. The memory taken ahead is at most what is left of
    // the input.
    template <typename Stream, typename Vector> static void read_vector(Stream &stream, Vector &vector)
    {
        uint32_t count;
        stream.next(count);
        // More elements than bytes: right only if one may take none.
        if (count > stream.getLength()) check_count(stream, count, serializationLength(T()));
        if (vector.size() > count) vector.resize(count);
        vector.reserve(std::min<size_t>(count, stream.getLength() / sizeof(T)));
        Varied::read(stream, vector);
        while (vector.size() < count) {
            vector.emplace_back();
            stream.next(vector.back());
        }
    }

    template <typename Elements> static uint32_t length(const Elements &elements)
    {
        LStream stream;
        Varied::write(stream, elements);
        return stream.getLength();
    }
};

template <typename T>
using Way = typename std::conditional<
    message_traits::IsSimple<T>::value, Simple<T>,
    typename std::conditional<message_traits::IsFixedSize<T>::value, Fixed<T>, Varied<T>>::type>::type;

} // namespace detail

// `ContainerAllocator` is an allocator of anything.
template <typename T, class ContainerAllocator, class Enabled = void> struct VectorSerializer {
    typedef std::vector<T, typename std::allocator_traits<ContainerAllocator>::template rebind_alloc<T>> VecType;

    template <typename Stream> static void write(Stream &stream, const VecType &vector)
    {
        stream.next(detail::in_32_bits(vector.size()));
        detail::Way<T>::write(stream, vector);
    }

    template <typename Stream> static void read(Stream &stream, VecType &vector)
    {
        detail::Way<T>::read_vector(stream, vector);
    }

    static uint32_t serializedLength(const VecType &vector)
    {
        return detail::in_32_bits(uint64_t{4} + detail::Way<T>::length(vector));
    }
};

template <typename T, size_t N, class Enabled = void> struct ArraySerializer {
    typedef boost::array<T, N> ArrayType;

    template <typename Stream> static void write(Stream &stream, const ArrayType &array)
    {
        detail::Way<T>::write(stream, array);
    }

    template <typename Stream> static void read(Stream &stream, ArrayType &array) { detail::Way<T>::read(stream, array); }

    static uint32_t serializedLength(const ArrayType &array) { return detail::Way<T>::length(array); }
};

template <typename T, class ContainerAllocator>
struct Serializer<std::vector<T, ContainerAllocator>> : VectorSerializer<T, ContainerAllocator> {};
template <typename T, size_t N> struct Serializer<boost::array<T, N>> : ArraySerializer<T, N> {};

} // namespace serialization
} // namespace ros
