// Brings callbacks to a queue of the program's own class, which knows addCallback and removeByID alone.
//
//   sample, request, time ──► hidden queue ──► the carrier's thread ──addCallback──► the program's queue ──call()──► the callback
//                                                        └──────────── waits until it was called ◄────────────────────────┘
//
// There is one for each subscription, service or timer. While a callback waits in the program's queue the next ones of the same thing wait in the
// hidden one, bounded as ever. Who ends the thing takes back what waits; what runs is waited for, unless it is what ends the thing.
#pragma once
#include <boost/make_shared.hpp>
#include <boost/shared_ptr.hpp>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <ros/callback_queue.h>
#include <ros/callback_queue_interface.h>
#include <ros/detail/calling.h>
#include <thread>
#include <tokkyu/node.h>
#include <utility>

namespace ros {
namespace detail {

class Carrier {
public:
    // nullptr: the queue needs none.
    static boost::shared_ptr<Carrier> of(CallbackQueueInterface *queue)
    {
        if (queue == nullptr || dynamic_cast<CallbackQueue *>(queue) != nullptr) return nullptr;
        const auto carrier = boost::make_shared<Carrier>(queue);
        std::thread([carrier] { carrier->run(); }).detach();
        return carrier;
    }
    explicit Carrier(CallbackQueueInterface *queue) : queue_(queue), hidden_(tk_queue_new()) {}
    ~Carrier() { tk_queue_free(hidden_); }
    Carrier(const Carrier &) = delete;
    Carrier &operator=(const Carrier &) = delete;

    // What the thing is made with.
    tk_queue *hidden() const { return hidden_; }

    // In the carrier's thread: has it called by whoever calls from the program's queue, and waits for that.
    void carry(const std::function<void()> &act)
    {
        const auto turn = boost::make_shared<Turn>(act);
        {
            std::lock_guard<std::mutex> lock(mutex_);
            if (is_over_) return;
            turn_ = turn;
        }
        queue_->addCallback(boost::make_shared<Ticket>(turn), id());
        turn->wait();
        std::lock_guard<std::mutex> lock(mutex_);
        turn_.reset();
    }

    // Nothing is called any more; then `free` lets go of the thing.
    void end(std::function<void()> free)
    {
        boost::shared_ptr<Turn> turn;
        {
            std::lock_guard<std::mutex> lock(mutex_);
            is_over_ = true;
            turn = turn_;
        }
        // Within its own callback: the carrier's thread waits for this one, so another has to wait for that.
        if (turn && !turn->take_back()) std::thread(std::move(free)).detach();
        else free();
        queue_->removeByID(id());
        tk_queue_wake(hidden_);
    }

private:
    // One call. WAITING ──call()──► RUNNING ──► OVER; from WAITING also by take_back, or when the program's queue drops it.
    class Turn {
    public:
        explicit Turn(std::function<void()> act) : act_(std::move(act)) {}

        bool call()
        {
            {
                std::lock_guard<std::mutex> lock(mutex_);
                if (state_ != Waiting) return false;
                state_ = Running;
                runner_ = std::this_thread::get_id();
            }
            // Also if it throws, which is for whoever calls from the queue.
            struct Finish {
                Turn &turn;
                ~Finish() { turn.finish(); }
            } finish{*this};
            act_();
            return true;
        }
        void drop()
        {
            std::lock_guard<std::mutex> lock(mutex_);
            if (state_ == Waiting) state_ = Over;
            changed_.notify_all();
        }
        void wait()
        {
            std::unique_lock<std::mutex> lock(mutex_);
            changed_.wait(lock, [this] { return state_ == Over; });
        }
        // False: it is this very thread that runs it.
        bool take_back()
        {
            std::unique_lock<std::mutex> lock(mutex_);
            if (state_ == Running && runner_ == std::this_thread::get_id()) return false;
            if (state_ == Waiting) state_ = Over;
            changed_.notify_all();
            return true;
        }

    private:
        void finish()
        {
            std::lock_guard<std::mutex> lock(mutex_);
            state_ = Over;
            changed_.notify_all();
        }

        enum { Waiting, Running, Over } state_ = Waiting;
        const std::function<void()> act_;
        std::thread::id runner_;
        std::mutex mutex_;
        std::condition_variable changed_;
    };

    // What the program's queue has of it.
    struct Ticket : CallbackInterface {
        const boost::shared_ptr<Turn> turn;

        explicit Ticket(const boost::shared_ptr<Turn> &given) : turn(given) {}
        ~Ticket() override { turn->drop(); }
        CallResult call() override { return turn->call() ? Success : Invalid; }
    };

    uint64_t id() const { return reinterpret_cast<uintptr_t>(this); }

    void run()
    {
        for (;;) {
            // Before the look: who ends it wakes the queue afterwards.
            const uint32_t wakes = tk_queue_wakes(hidden_);
            if (is_over() || tk_queue_is_stopped(hidden_)) return;
            tk_queue_call_one(hidden_, -1, wakes);
        }
    }
    bool is_over()
    {
        std::lock_guard<std::mutex> lock(mutex_);
        return is_over_;
    }

    CallbackQueueInterface *const queue_;
    tk_queue *const hidden_;
    std::mutex mutex_;
    bool is_over_ = false;
    boost::shared_ptr<Turn> turn_;
};
typedef boost::shared_ptr<Carrier> CarrierPtr;

// Calls it here, or has it carried: then what it throws is for whoever calls from the program's queue.
inline void act_by(const CarrierPtr &carrier, const std::function<void()> &act)
{
    if (carrier) carrier->carry(act);
    else Calling::guard(act);
}
inline void end_by(const CarrierPtr &carrier, std::function<void()> free)
{
    if (carrier) carrier->end(std::move(free));
    else free();
}

// What a thing is made with: nullptr is the node's own queue.
inline tk_queue *queue_for(CallbackQueueInterface *queue, const CarrierPtr &carrier)
{
    if (carrier) return carrier->hidden();
    const auto *const known = dynamic_cast<CallbackQueue *>(queue);
    return known == nullptr ? nullptr : known->handle();
}

} // namespace detail
} // namespace ros
