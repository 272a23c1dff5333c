// Debian has RouDi as a library alone; its program is a few lines around it. See roudi.hpp.
#include "roudi.hpp"

#include <iceoryx_hoofs/platform/platform_settings.hpp>
#include <iceoryx_hoofs/posix_wrapper/posix_access_rights.hpp>
#include <iceoryx_posh/roudi/iceoryx_roudi_app.hpp>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>

#include "clock.hpp"
#include "signals.hpp"

namespace local {
namespace {

// One on its way, one being filled, and what publisher and subscriber keep of the last.
constexpr std::uint32_t CHUNKS = 8;

iox::RouDiConfig_t memory_for(const Options &options)
{
    constexpr std::uint32_t CACHE_LINE = 64;
    iox::mepoo::MePooConfig pool;
    pool.addMemPool({(options.bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE, CHUNKS});
    const auto group = iox::posix::PosixGroup::getGroupOfCurrentProcess().getName();
    iox::RouDiConfig_t configuration;
    configuration.m_sharedMemorySegments.push_back({group, group, pool});
    return configuration;
}

iox::config::CmdLineArgs_t arguments()
{
    iox::config::CmdLineArgs_t arguments;
    // The harness looks after the processes; none is to be counted dead for having been kept from the processor.
    arguments.monitoringMode = iox::roudi::MonitoringMode::OFF;
    arguments.logLevel = iox::log::LogLevel::kError;
    return arguments;
}

// RouDi does not say when it takes requests. It makes its socket then, and an old one it takes away at its start.
void wait_for_socket(const Child::TellReady &tell_ready)
{
    std::string path = iox::platform::IOX_UDS_SOCKET_PATH_PREFIX;
    path += iox::roudi::IPC_CHANNEL_ROUDI_NAME;
    while (access(path.c_str(), F_OK) != 0)
        if (wait_for_end_until(now_ns() + NS_PER_MS) == Woken::TOLD_TO_END)
            return;
    tell_ready();
    while (wait_for_end_until(now_ns() + NS_PER_S) != Woken::TOLD_TO_END)
        ;
}

} // namespace

void run_roudi(const Options &options, const Child::TellReady &tell_ready)
{
    const auto roudi = std::make_unique<iox::roudi::IceOryxRouDiApp>(arguments(), memory_for(options));
    // RouDi waits for signals that are blocked here, and has this call for whoever catches them in its place.
    std::thread ender([&tell_ready] {
        wait_for_socket(tell_ready);
        iox::roudi::RouDiApp::roudiSigHandler(END_SIGNAL);
    });
    roudi->run();
    ender.join();
}

} // namespace local
