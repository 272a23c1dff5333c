// The bytes of a sample (LOCAL-10). All numbers are little endian.
//
//   0        4        8          16                     bytes - 4
//   | number | zero   | sent_ns   | pattern of the number | number |
#ifndef TOKKYU_LOCAL_PAYLOAD_HPP
#define TOKKYU_LOCAL_PAYLOAD_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace local {

// Writes every byte but the stamp's, which it leaves zero: a sample that was given away without one shows.
inline void fill_payload(std::uint8_t *bytes, std::size_t size, std::uint32_t number) noexcept
{
    std::memset(bytes, static_cast<int>(number & 0xff), size);
    std::memset(bytes, 0, 16);
    std::memcpy(bytes, &number, sizeof number);
    std::memcpy(bytes + size - sizeof number, &number, sizeof number);
}

inline void stamp_payload(std::uint8_t *bytes, std::uint64_t sent_ns) noexcept
{
    std::memcpy(bytes + 8, &sent_ns, sizeof sent_ns);
}

// What a receiver finds; `size` is at least LEAST_BYTES.
struct Found {
    std::uint32_t number;
    std::uint32_t number_at_end;
    std::uint64_t sent_ns;
};

inline Found read_payload(const std::uint8_t *bytes, std::size_t size) noexcept
{
    Found found;
    std::memcpy(&found.number, bytes, sizeof found.number);
    std::memcpy(&found.sent_ns, bytes + 8, sizeof found.sent_ns);
    std::memcpy(&found.number_at_end, bytes + size - sizeof found.number_at_end, sizeof found.number_at_end);
    return found;
}

} // namespace local
#endif
