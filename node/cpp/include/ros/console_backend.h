// The levels of what a program says.
#pragma once

namespace ros {
namespace console {

namespace levels {
enum Level { Debug, Info, Warn, Error, Fatal, Count };
}
typedef levels::Level Level;

} // namespace console
} // namespace ros
