// Written when the run is over; see results.hpp.
#include "results.hpp"

#include <cinttypes>
#include <fcntl.h>
#include <sstream>
#include <unistd.h>
#include <utility>

#include "failure.hpp"

namespace local {
namespace {

struct Counts {
    std::uint32_t published = 0;
    std::uint32_t received = 0;
};

// Those that only warm up are not counted.
Counts count(const Board &board, const Options &options)
{
    Counts counts;
    for (std::uint32_t number = options.warm_up; number < options.all_samples(); number++) {
        counts.published += board.sent_ns(number) != 0;
        counts.received += board.received_ns(number) != 0;
    }
    return counts;
}

// Versions come from headers and from the kernel: what is not plain ASCII is left out, so the line is valid JSON.
std::string quoted(const std::string &text)
{
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            result += '\\';
        result += c < 0x20 || c > 0x7e ? '?' : c;
    }
    return result + "\"";
}

} // namespace

Output::Output() : descriptor_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3))
{
    if (descriptor_ < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        throw system_failure("standard output or standard error (both must be open)");
}

void Output::print(const std::string &line)
{
    const std::string whole = line + "\n";
    if (write(descriptor_, whole.data(), whole.size()) != static_cast<ssize_t>(whole.size()))
        throw system_failure("the summary could not be written to standard output");
}

RecordsFile::RecordsFile(const std::string &path) : path_(path), file_(std::fopen(path.c_str(), "wxe"))
{
    if (file_ == nullptr)
        throw system_failure("--records " + path + " (give a file that is not there yet)");
}

RecordsFile::~RecordsFile()
{
    if (file_ != nullptr)
        std::fclose(file_);
    if (!is_written_)
        unlink(path_.c_str());
}

void RecordsFile::write(const Board &board, const Options &options)
{
    std::fputs("sequence sent_ns received_ns returned_ns\n", file_);
    for (std::uint32_t number = options.warm_up; number < options.all_samples(); number++)
        if (board.sent_ns(number) != 0)
            std::fprintf(file_, "%" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", number - options.warm_up,
                         board.sent_ns(number), board.received_ns(number), board.returned_ns(number));
    const bool failed = std::ferror(file_) != 0;
    if (std::fclose(std::exchange(file_, nullptr)) != 0 || failed)
        throw system_failure("--records " + path_ + " could not be written");
    is_written_ = true;
}

std::string summary(const Description &description, const Board &board, const Options &options)
{
    const Counts counts = count(board, options);
    std::ostringstream line;
    line << "{\"peer\":" << quoted(description.peer) << ",\"bytes\":" << options.bytes
         << ",\"copies\":" << description.copies << ",\"processes\":" << description.processes
         << ",\"published\":" << counts.published << ",\"received\":" << counts.received
         << ",\"wrong\":" << board.wrong() << ",\"library\":" << quoted(description.library)
         << ",\"version\":" << quoted(description.version) << "}";
    return line.str();
}

} // namespace local
