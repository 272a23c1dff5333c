// A table of flags, each with what reads its value; see options.hpp.
#include "options.hpp"

#include <array>
#include <charconv>
#include <cstring>

namespace local {
namespace {

[[noreturn]] void refuse(const std::string &flag, const std::string &value, const std::string &wanted)
{
    throw UsageError(flag + (value.empty() ? "" : " " + value) + ": give " + wanted);
}

std::uint32_t number(const char *flag, const std::string &value, std::uint32_t least, std::uint32_t most)
{
    std::uint32_t result = 0;
    const char *end = value.data() + value.size();
    const auto read = std::from_chars(value.data(), end, result);
    if (value.empty() || read.ec != std::errc() || read.ptr != end || result < least || result > most)
        refuse(flag, value, "a number from " + std::to_string(least) + " to " + std::to_string(most));
    return result;
}

std::string text(const char *flag, const std::string &value, const char *wanted)
{
    if (value.empty())
        refuse(flag, value, wanted);
    return value;
}

struct Flag {
    const char *name;
    bool is_needed;
    void (*read)(Options &options, const char *name, const std::string &value);
};

using Name = const char *;
using Value = const std::string &;

constexpr std::array<Flag, 7> FLAGS = {{
    {"--bytes", true, [](Options &o, Name n, Value v) { o.bytes = number(n, v, LEAST_BYTES, MOST_BYTES); }},
    {"--samples", true, [](Options &o, Name n, Value v) { o.samples = number(n, v, 1, 100000); }},
    {"--warm-up", true, [](Options &o, Name n, Value v) { o.warm_up = number(n, v, 0, 10000); }},
    {"--period-us", true, [](Options &o, Name n, Value v) { o.period_us = number(n, v, 100, 10000000); }},
    {"--priority", true, [](Options &o, Name n, Value v) { o.priority = static_cast<int>(number(n, v, 0, 99)); }},
    {"--records", true, [](Options &o, Name n, Value v) { o.records = text(n, v, "a file to write"); }},
    {"--master-uri", false, [](Options &o, Name n, Value v) { o.master_uri = text(n, v, "http://HOST:PORT"); }},
}};

std::size_t index_of(const char *name)
{
    for (std::size_t i = 0; i < FLAGS.size(); i++)
        if (std::strcmp(FLAGS[i].name, name) == 0)
            return i;
    refuse(name, "", "only flags of bench/local/SPEC.md, LOCAL-2");
}

} // namespace

Options read_options(int argc, char **argv, bool needs_master)
{
    Options options;
    std::array<bool, FLAGS.size()> given{};
    for (int i = 1; i < argc; i += 2) {
        const std::size_t flag = index_of(argv[i]);
        if (given[flag])
            refuse(argv[i], "", "it once");
        if (i + 1 == argc)
            refuse(argv[i], "", "a value");
        given[flag] = true;
        FLAGS[flag].read(options, FLAGS[flag].name, argv[i + 1]);
    }
    for (std::size_t i = 0; i < FLAGS.size(); i++)
        if (FLAGS[i].is_needed && !given[i])
            refuse(FLAGS[i].name, "", "this flag, it is missing");
    if (needs_master && options.master_uri.empty())
        refuse("--master-uri", "", "the URI of a running rosmaster, this peer needs one");
    return options;
}

} // namespace local
