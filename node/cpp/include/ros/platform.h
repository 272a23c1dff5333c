// What differs between operating systems.
#pragma once
#include <cstdlib>
#include <string>

namespace ros {

// The value of an environment variable into `value`; false, and an empty one, if it is not set.
inline bool get_environment_variable(std::string &value, const char *name)
{
    const char *found = std::getenv(name);
    value = found ? found : "";
    return found != nullptr;
}

} // namespace ros
