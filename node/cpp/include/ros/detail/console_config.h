// The file that ROSCONSOLE_CONFIG_FILE names: lines `log4j.logger.NAME=LEVEL`. Other lines are told once and have no effect.
#pragma once
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <ros/console_backend.h>
#include <string>

namespace ros {
namespace console {
namespace detail {

inline std::string trimmed(const std::string &text)
{
    const char *const blank = " \t\r";
    const size_t from = text.find_first_not_of(blank);
    return from == std::string::npos ? std::string() : text.substr(from, text.find_last_not_of(blank) - from + 1);
}

// False: the word is no level. There is none above FATAL, so OFF is that.
inline bool level_of_word(std::string word, Level &level)
{
    static const std::map<std::string, Level> levels = {{"ALL", levels::Debug},  {"TRACE", levels::Debug}, {"DEBUG", levels::Debug},
                                                        {"INFO", levels::Info},  {"WARN", levels::Warn},   {"ERROR", levels::Error},
                                                        {"FATAL", levels::Fatal}, {"OFF", levels::Fatal}};
    for (char &letter : word) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    const auto found = levels.find(word);
    if (found != levels.end()) level = found->second;
    return found != levels.end();
}

// Whether the line says something that counts, or nothing. What is behind a comma is log4j's affair.
inline bool read_console_line(const std::string &line, std::map<std::string, Level> &levels)
{
    const std::string said = trimmed(line), prefix = "log4j.logger.";
    if (said.empty() || said[0] == '#' || said[0] == '!') return true;
    const size_t equals = said.find('=');
    if (said.compare(0, prefix.size(), prefix) != 0 || equals == std::string::npos) return false;
    const std::string name = trimmed(said.substr(prefix.size(), equals - prefix.size()));
    const std::string word = trimmed(said.substr(equals + 1, said.find(',', equals) - equals - 1));
    Level level;
    if (name.empty() || !level_of_word(word, level)) return false;
    levels[name] = level;
    return true;
}

inline void read_console_config(std::map<std::string, Level> &levels)
{
    const char *const path = std::getenv("ROSCONSOLE_CONFIG_FILE");
    if (path == nullptr || *path == 0) return;
    std::ifstream file(path);
    if (!file) std::fprintf(stderr, "ROSCONSOLE_CONFIG_FILE: %s cannot be read\n", path);
    std::string line, passed_over;
    while (std::getline(file, line)) {
        if (!read_console_line(line, levels) && passed_over.empty()) passed_over = line;
    }
    if (!passed_over.empty())
        std::fprintf(stderr, "ROSCONSOLE_CONFIG_FILE: %s: lines other than log4j.logger.NAME=LEVEL have no effect: %s\n", path, passed_over.c_str());
}

} // namespace detail
} // namespace console
} // namespace ros
