// What a run leaves: the records file (LOCAL-30) and one line of JSON on standard output (LOCAL-31).
#ifndef TOKKYU_LOCAL_RESULTS_HPP
#define TOKKYU_LOCAL_RESULTS_HPP

#include <cstdint>
#include <cstdio>
#include <string>

#include "board.hpp"
#include "options.hpp"

namespace local {

// Who was measured.
struct Description {
    const char *peer;
    // Of the payload, after it was filled.
    int copies;
    int processes;
    const char *library;
    std::string version;
};

// Standard output as the program was given it. From then on, what libraries print there goes to standard error, and the
// line of the summary stands alone.
class Output {
public:
    // Throws Failure.
    Output();
    // Throws Failure.
    void print(const std::string &line);

private:
    int descriptor_;
};

// A file that was not there before. It is taken back unless it was written.
class RecordsFile {
public:
    // Throws Failure.
    explicit RecordsFile(const std::string &path);
    ~RecordsFile();
    RecordsFile(const RecordsFile &) = delete;
    RecordsFile &operator=(const RecordsFile &) = delete;

    // Throws Failure.
    void write(const Board &board, const Options &options);

private:
    std::string path_;
    std::FILE *file_;
    bool is_written_ = false;
};

std::string summary(const Description &description, const Board &board, const Options &options);

} // namespace local
#endif
