// A background upload over LEDBAT (RFC 6817), as libtorrent has it in its uTP (BEP 29): the transport that yields, and that
// users meet today.
//
//   ledbat take LISTEN PORT FLOWS               waits for an upload, for ever
//   ledbat give LISTEN PORT FLOWS PEER SECONDS  uploads to PEER:PORT for so long
//
// FLOWS connections, each of a session and a torrent of its own (one peer has one connection), on ports from PORT on. The
// torrents are files of zeros, the same at both ends without being sent: their hashes are worked out, not read. TCP, discovery
// and encryption are off. Packets carry DSCP LE, as the other backgrounds' do. Exit: 0 over, 1 failed, 2 usage.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <libtorrent/add_torrent_params.hpp>
#include <libtorrent/alert_types.hpp>
#include <libtorrent/bencode.hpp>
#include <libtorrent/create_torrent.hpp>
#include <libtorrent/hasher.hpp>
#include <libtorrent/session.hpp>
#include <libtorrent/session_params.hpp>
#include <libtorrent/settings_pack.hpp>
#include <libtorrent/torrent_handle.hpp>
#include <libtorrent/torrent_info.hpp>

namespace {

// More than an experiment's link carries in its time.
constexpr std::int64_t size_bytes = 64 << 20;
constexpr int piece_bytes = 64 << 10;
// DSCP LE above the two bits of ECN.
constexpr int type_of_service = 1 << 2;

lt::session_params quiet(const std::string& listen) {
    lt::settings_pack settings;
    settings.set_str(lt::settings_pack::listen_interfaces, listen);
    for (auto off : {lt::settings_pack::enable_outgoing_tcp, lt::settings_pack::enable_incoming_tcp,
                     lt::settings_pack::enable_dht, lt::settings_pack::enable_lsd,
                     lt::settings_pack::enable_upnp, lt::settings_pack::enable_natpmp,
                     lt::settings_pack::rate_limit_ip_overhead})
        settings.set_bool(off, false);
    settings.set_int(lt::settings_pack::out_enc_policy, lt::settings_pack::pe_disabled);
    settings.set_int(lt::settings_pack::in_enc_policy, lt::settings_pack::pe_disabled);
    settings.set_int(lt::settings_pack::peer_tos, type_of_service);
    settings.set_int(lt::settings_pack::unchoke_slots_limit, -1);
    settings.set_int(lt::settings_pack::alert_mask, lt::alert_category::error);
    lt::session_params params(settings);
    // No extension of the protocol, no DHT.
    params.extensions.clear();
    return params;
}

// The same at both ends: the number of the flow is in its name, so that each has a hash of its own.
std::shared_ptr<lt::torrent_info> zeros(int number) {
    lt::file_storage files;
    files.add_file("flow" + std::to_string(number), size_bytes);
    lt::create_torrent torrent(files, piece_bytes, lt::create_torrent::v1_only);
    const std::vector<char> piece(piece_bytes, 0);
    const lt::sha1_hash hash = lt::hasher(piece).final();
    for (lt::piece_index_t at{0}; at < torrent.end_piece(); ++at) torrent.set_hash(at, hash);
    torrent.set_creation_date(1);
    std::vector<char> bytes;
    lt::bencode(std::back_inserter(bytes), torrent.generate());
    return std::make_shared<lt::torrent_info>(bytes, lt::from_span);
}

struct Flow {
    std::unique_ptr<lt::session> session;
    lt::torrent_handle torrent;
};

Flow begin(const std::string& address, int port, int number, bool gives) {
    Flow flow;
    const std::string listen = address + ":" + std::to_string(port + number);
    flow.session = std::make_unique<lt::session>(quiet(listen));
    lt::add_torrent_params params;
    params.ti = zeros(number);
    params.save_path = gives ? "/tmp/give" : "/tmp/take";
    params.flags = lt::torrent_flags::default_flags;
    params.flags &= ~(lt::torrent_flags::paused | lt::torrent_flags::auto_managed);
    if (gives) {
        params.flags |= lt::torrent_flags::seed_mode;
        // A file with a hole is zeros to whoever reads it.
        std::ofstream(params.save_path + "/flow" + std::to_string(number));
        if (truncate((params.save_path + "/flow" + std::to_string(number)).c_str(), size_bytes) != 0)
            throw std::runtime_error("no file of zeros in " + params.save_path);
    }
    flow.torrent = flow.session->add_torrent(params);
    return flow;
}

// What the library has to complain of; it goes on.
void tell(Flow& flow) {
    std::vector<lt::alert*> alerts;
    flow.session->pop_alerts(&alerts);
    for (const lt::alert* alert : alerts)
        if (alert->category() & lt::alert_category::error) std::cerr << "ledbat: " << alert->message() << "\n";
}

int run(int count, char** words) {
    const std::string what = count > 1 ? words[1] : "";
    const bool gives = what == "give";
    if (!(gives && count == 7) && !(what == "take" && count == 5)) {
        std::cerr << "usage: ledbat take LISTEN PORT FLOWS | give LISTEN PORT FLOWS PEER SECONDS\n";
        return 2;
    }
    const std::string address = words[2];
    const int port = std::stoi(words[3]), flows = std::stoi(words[4]);
    std::filesystem::create_directories(gives ? "/tmp/give" : "/tmp/take");
    std::vector<Flow> all;
    for (int number = 0; number < flows; number++) {
        all.push_back(begin(address, port, number, gives));
        if (gives)
            all.back().torrent.connect_peer(
                {lt::make_address(words[5]), static_cast<std::uint16_t>(port + number)});
    }
    const auto seconds = gives ? std::stol(words[6]) : 1L << 30;
    for (long passed = 0; passed < seconds; passed++) {
        std::this_thread::sleep_for(std::chrono::seconds(1));
        for (Flow& flow : all) tell(flow);
    }
    return 0;
}

}  // namespace

int main(int count, char** words) {
    try {
        return run(count, words);
    } catch (const std::exception& error) {
        std::cerr << "ledbat: " << error.what() << "\n";
        return 1;
    }
}
