// What C++ and its library promise, and programs on a board rely on (node/board/cpp/SPEC.md): a line for each, "ok NAME" or "FAILED NAME".
// It is no node: it needs no network. Exit: 0 all is so, 1 not.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iomanip>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <typeinfo>
#include <vector>

namespace {
struct Shape {
    virtual ~Shape() = default;
    virtual int corners() const = 0;
};
struct Square : Shape {
    int corners() const override { return 4; }
};
struct Named {
    virtual ~Named() = default;
    std::string name = "triangle";
};
struct Triangle : Shape, Named {
    int corners() const override { return 3; }
};

bool casts() {
    const std::unique_ptr<Shape> square = std::make_unique<Square>(), triangle = std::make_unique<Triangle>();
    const auto *named = dynamic_cast<const Named *>(triangle.get());
    bool refused = false;
    try {
        (void)dynamic_cast<const Named &>(*square);
    } catch (const std::bad_cast &) {
        refused = true;
    }
    return dynamic_cast<const Named *>(square.get()) == nullptr && named != nullptr && named->name == "triangle" && refused &&
           typeid(*square) == typeid(Square) && typeid(*square) != typeid(*triangle);
}

int unwound = 0;
struct Unwound {
    ~Unwound() { ++unwound; }
};
int deep(int left) {
    const Unwound here;
    if (left == 0) throw std::runtime_error("deep down");
    return deep(left - 1) + 1;
}
bool exceptions() {
    std::string said;
    try {
        try {
            deep(9);
        } catch (const std::logic_error &) {
            return false;
        } catch (...) {
            throw;
        }
    } catch (const std::exception &error) {
        said = error.what();
    }
    return said == "deep down" && unwound == 10 && std::uncaught_exceptions() == 0;
}

struct Early {
    std::vector<int> values{1, 2, 3};
} early;
bool statics_are_made_before() { return early.values.size() == 3; }

int made = 0;
struct Once {
    Once() { ++made; }
};
void once() { static const Once only; }
bool statics_of_functions_are_made_once() {
    std::thread other(once);
    once();
    other.join();
    once();
    return made == 1;
}

std::atomic<int> ended{0};
struct Ends {
    int value = 1;
    ~Ends() { ++ended; }
};
thread_local int own = 7;
thread_local std::string own_words = "fresh";
thread_local Ends ends;
bool variables_of_threads_are_their_own() {
    own = 8;
    own_words = "mine";
    int seen = 0;
    std::string words;
    std::thread([&] {
        seen = own;
        words = own_words;
        own = 9;
        own_words = "another's, and longer than what lies in a string itself";
        ends.value = 2;
    }).join();
    return ended == 1 && ends.value == 1 && seen == 7 && words == "fresh" && own == 8 && own_words == "mine";
}

bool threads_meet() {
    std::mutex mutex;
    std::condition_variable changed;
    int turn = 0, rounds = 0;
    const auto play = [&](int me) {
        for (int round = 0; round < 100; ++round) {
            std::unique_lock<std::mutex> lock(mutex);
            changed.wait(lock, [&] { return turn == me; });
            turn = 1 - me;
            ++rounds;
            changed.notify_all();
        }
    };
    std::thread other(play, 1);
    play(0);
    other.join();
    return rounds == 200;
}

bool waits_end() {
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock<std::mutex> lock(mutex);
    const auto began = std::chrono::steady_clock::now();
    const bool came = never.wait_for(lock, std::chrono::milliseconds(20)) == std::cv_status::no_timeout;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return !came && std::chrono::steady_clock::now() - began >= std::chrono::milliseconds(30);
}

bool an_exception_goes_to_another_thread() {
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread other([&] {
        try {
            throw std::out_of_range("from there");
        } catch (...) {
            promise.set_exception(std::current_exception());
        }
    });
    bool came = false;
    try {
        (void)future.get();
    } catch (const std::out_of_range &error) {
        came = std::strcmp(error.what(), "from there") == 0;
    }
    other.join();
    return came;
}

bool threads_count_together() {
    std::atomic<long> sum{0};
    const auto add = [&] {
        for (int value = 0; value < 10'000; ++value) sum.fetch_add(value, std::memory_order_relaxed);
    };
    std::thread other(add);
    add();
    other.join();
    return sum == 2L * 10'000 * 9'999 / 2;
}

bool no_memory_is_an_exception() {
    // The compiler takes for granted that there is memory, unless it has to look.
    volatile std::size_t much = std::size_t{1} << 40;
    void *volatile memory = std::malloc(much);
    if (memory != nullptr) return false;
    try {
        char *volatile bytes = new char[much];
        delete[] bytes;
        return false;
    } catch (const std::bad_alloc &) {
        return true;
    }
}

bool streams_and_numbers() {
    std::ostringstream out;
    out << std::fixed << std::setprecision(3) << 2.0 / 3.0 << ' ' << std::hex << 255 << ' ' << std::setw(4) << std::setfill('0') << 7;
    std::istringstream in("12 -3.5e2 word");
    int whole = 0;
    double part = 0;
    std::string word;
    in >> whole >> part >> word;
    return out.str() == "0.667 ff 0007" && whole == 12 && part == -350.0 && word == "word" && std::stod("1e-3") == 0.001 &&
           std::to_string(1.5) == "1.500000";
}

bool containers_and_algorithms() {
    std::map<std::string, std::vector<int>> numbers;
    for (int number = 0; number < 1'000; ++number) numbers[std::to_string(number % 10)].push_back(1'000 - number);
    for (auto &[name, values] : numbers) std::sort(values.begin(), values.end());
    const std::function<int(int)> first = [&](int digit) { return numbers.at(std::to_string(digit)).front(); };
    return numbers.size() == 10 && first(0) == 10 && first(9) == 1;
}

bool files_are_not_there() {
    std::ifstream in("/etc/hostname");
    std::error_code error;
    const bool exists = std::filesystem::exists("/etc", error);
    return !in.is_open() && !exists && error.value() == ENOSYS;
}
} // namespace

int main(int, char **argv) {
    const std::pair<const char *, bool (*)()> tests[] = {
        {"casts", casts},
        {"exceptions", exceptions},
        {"statics_are_made_before", statics_are_made_before},
        {"statics_of_functions_are_made_once", statics_of_functions_are_made_once},
        {"variables_of_threads_are_their_own", variables_of_threads_are_their_own},
        {"threads_meet", threads_meet},
        {"waits_end", waits_end},
        {"an_exception_goes_to_another_thread", an_exception_goes_to_another_thread},
        {"threads_count_together", threads_count_together},
        {"no_memory_is_an_exception", no_memory_is_an_exception},
        {"streams_and_numbers", streams_and_numbers},
        {"containers_and_algorithms", containers_and_algorithms},
        {"files_are_not_there", files_are_not_there},
    };
    int failed = std::strcmp(argv[0], "language") == 0 ? 0 : 1;
    for (const auto &[name, is_so] : tests) {
        const bool is = is_so();
        failed += is ? 0 : 1;
        std::printf("%s %s\n", is ? "ok" : "FAILED", name);
    }
    return failed == 0 ? 0 : 1;
}
