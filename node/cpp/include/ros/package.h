// Where packages are: below the folders of ROS_PACKAGE_PATH, as rospack finds them. Folders are looked through at each call.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace ros {
namespace package {

typedef std::vector<std::string> V_string;
typedef std::map<std::string, std::string> M_string;

namespace detail {

// What package.xml says in <name>; comments left out. "" if it says nothing.
inline std::string name_in(const std::filesystem::path &manifest)
{
    std::ifstream file(manifest);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    for (size_t begin = text.find("<!--"); begin != std::string::npos; begin = text.find("<!--")) {
        const size_t end = text.find("-->", begin);
        text.erase(begin, end == std::string::npos ? end : end + 3 - begin);
    }
    const size_t begin = text.find("<name>");
    if (begin == std::string::npos) return "";
    const size_t end = text.find("</name>", begin);
    if (end == std::string::npos) return "";
    std::istringstream words(text.substr(begin + 6, end - begin - 6));
    std::string name;
    words >> name;
    return name;
}

// Packages by name, each where it was found first. None is looked for inside another.
class Crawl {
public:
    explicit Crawl(const std::string &folders)
    {
        std::istringstream list(folders);
        for (std::string folder; std::getline(list, folder, ':');) {
            if (!folder.empty()) look(folder);
        }
    }
    const M_string &found() const { return found_; }

private:
    void look(const std::filesystem::path &folder)
    {
        std::error_code error;
        // Links may lead in circles.
        const auto real = std::filesystem::canonical(folder, error);
        if (error || !std::filesystem::is_directory(real, error) || !seen_.insert(real).second) return;
        for (const char *const mark : {"CATKIN_IGNORE", "AMENT_IGNORE", "COLCON_IGNORE", "rospack_nosubdirs"}) {
            if (std::filesystem::exists(folder / mark, error)) return;
        }
        if (is_package(folder)) return;
        std::set<std::filesystem::path> below;
        auto at = std::filesystem::directory_iterator(folder, error);
        for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) below.insert(at->path());
        for (const auto &next : below) {
            if (next.filename().native()[0] != '.') look(next);
        }
    }

    bool is_package(const std::filesystem::path &folder)
    {
        std::error_code error;
        std::string name;
        if (std::filesystem::exists(folder / "package.xml", error)) name = name_in(folder / "package.xml");
        else if (!std::filesystem::exists(folder / "manifest.xml", error)) return false;
        found_.insert({name.empty() ? folder.filename().string() : name, folder.string()});
        return true;
    }

    M_string found_;
    std::set<std::filesystem::path> seen_;
};

inline M_string all()
{
    const char *const folders = std::getenv("ROS_PACKAGE_PATH");
    return Crawl(folders == nullptr ? "" : folders).found();
}

} // namespace detail

// The folder of a package; "" if there is none.
inline std::string getPath(const std::string &package_name)
{
    const M_string packages = detail::all();
    const auto found = packages.find(package_name);
    return found == packages.end() ? "" : found->second;
}

// The names of all packages.
inline bool getAll(V_string &packages)
{
    for (const auto &package : detail::all()) packages.push_back(package.first);
    return true;
}

} // namespace package
} // namespace ros
