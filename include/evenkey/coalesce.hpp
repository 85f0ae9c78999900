// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/coalesce/coalesce_error.hpp>
#include <evenkey/coalesce/options.hpp>
#include <evenkey/coalesce/wait_graph.hpp>

#include <chrono>
#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace evenkey {

/// A clock to inject: `now()` is a time point of the steady clock.
template <class Now>
concept steady_now = requires(const Now& now) {
  { now() } -> std::convertible_to<std::chrono::steady_clock::time_point>;
};

/// A loader that is told the key: `loader(key)` gives the value.
template <class Loader, class Key, class Value>
concept loads_a_key = requires(Loader& loader, const Key& key) {
  { std::invoke(loader, key) } -> std::convertible_to<Value>;
};

/// A loader that knows what to load: `loader()` gives the value.
template <class Loader, class Value>
concept loads_what_it_knows = requires(Loader& loader) {
  { std::invoke(loader) } -> std::convertible_to<Value>;
};

/// What `Coalescer::get` calls where it has no answer.
template <class Loader, class Key, class Value>
concept coalesced_loader = loads_a_key<Loader, Key, Value> || loads_what_it_knows<Loader, Value>;

/// Makes identical reads one read: callers who ask for a key while it is being loaded share that load, and
/// its answer is given again for a short time (single flight, then a small cache).
///
/// Use it for what many poll, such as ADR-0085's list page: it costs one read per `time_to_live`, however
/// many look at it.
///
///     evenkey::Coalescer<std::string, std::vector<Saga>> pages({.time_to_live = std::chrono::seconds(3)});
///     auto page = pages.get("open", [&] { return evenkey::enumerate(…).items; });
///
/// An answer is as old as `time_to_live` at most, or as the load that was joined; who must see what they
/// wrote calls `invalidate` after the write. A load runs on the thread of the caller that came first, so its
/// deadline and its failure are those of all who joined.
/// Cost: memory for `max_entries` answers; those past their time stay until asked for or displaced.
/// Threads: safe. The loader runs outside of the lock and may call `get` for other keys; asking for a key
/// from within its own load is a `coalesce_error` instead of a deadlock, also by way of other keys, threads
/// and coalescers. What is not seen is a loader that asks on a thread of its own and waits for that.
/// @tparam Key copied; what stands for all that the answer depends on
/// @tparam Value shared by all callers as it is, so never changed
/// @tparam Now must not throw
/// @tparam Hash as for `std::unordered_map`; must not throw
/// @tparam Equal likewise
template <class Key, class Value, steady_now Now = SteadyNow, class Hash = std::hash<Key>,
          class Equal = std::equal_to<Key>>
class Coalescer {
  static_assert(std::is_object_v<Value> && !std::is_const_v<Value>,
                "evenkey: a Coalescer's Value is a plain type; it is shared as const");

 public:
  /// Shared, so that one answer of many items is not copied for each caller.
  using Answer = std::shared_ptr<const Value>;

  /// Errors: `std::invalid_argument` for a negative time to live and for no entries at all.
  explicit Coalescer(const CoalesceOptions& options = {}, Now now = Now(), Hash hash = Hash(),
                     Equal equal = Equal())
      : options_(options),
        now_(std::move(now)),
        equal_(equal),
        loads_(0, hash, equal),
        kept_(0, hash, equal) {
    if (options.time_to_live < std::chrono::nanoseconds(0))
      throw std::invalid_argument("evenkey: time_to_live is negative; zero keeps nothing");
    if (options.max_entries == 0)
      throw std::invalid_argument("evenkey: max_entries is 0; to keep no answers set time_to_live to zero");
  }
  Coalescer(const Coalescer&) = delete;
  Coalescer& operator=(const Coalescer&) = delete;

  /// The answer for a key: one kept, or that of a load under way, or else what the loader gives.
  ///
  /// Shape: never null.
  /// Errors: what the loader throws, to all who waited for that load, and nothing is kept; `coalesce_error`
  /// for asking from within the key's own load, and for a caller whose deadline passed or whose stop was
  /// requested, before or while it waits. A kept answer is given whatever the deadline.
  /// @param loader called with the key, or without; at most once
  template <coalesced_loader<Key, Value> Loader>
  Answer get(const Key& key, Loader&& loader, const CoalesceWait& wait = {}) {
    const Time now = now_();
    Entries dropped;  // destroyed after the lock is gone: a value's destructor may do anything
    std::unique_lock lock(mutex_);
    if (Answer kept = find_kept(key, now, dropped)) return kept;
    if (wait.stop.stop_requested()) throw stopped();
    if (now >= wait.deadline) throw too_late();
    if (LoadFrame::template any<Key>(this, [&](const Key& own) { return equal_(own, key); }))
      throw coalesce_error(CoalesceFailure::own_load, "evenkey: a loader asked for the key that it loads");
    if (const auto found = loads_.find(key); found != loads_.end()) {
      const std::shared_ptr<Load> load = found->second;  // outlives the lock and the load's place in the map
      return join(lock, *load, wait);
    }
    const auto load = std::make_shared<Load>();
    loads_.emplace(key, load);
    ++statistics_.loads;
    lock.unlock();
    run(*load, key, loader);
    finish(load, key, now);
    if (load->error) std::rethrow_exception(load->error);
    return load->answer;
  }

  /// Forgets a key's answer: whoever asks from now on gets one whose load begins after this. A load under way
  /// goes on for those who wait for it, and its answer is not kept.
  void invalidate(const Key& key) {
    Entries dropped;
    const std::lock_guard lock(mutex_);
    loads_.erase(key);
    if (const auto found = kept_.find(key); found != kept_.end()) drop(found, dropped);
  }

  /// Forgets all answers, as `invalidate` does for each key.
  void invalidate_all() {
    Entries dropped;
    const std::lock_guard lock(mutex_);
    loads_.clear();
    kept_.clear();
    dropped.swap(entries_);
  }

  /// What was asked and what was loaded so far.
  CoalesceStatistics statistics() const {
    const std::lock_guard lock(mutex_);
    return statistics_;
  }

  /// How many answers are kept, those past their time included.
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
  }

 private:
  using Time = std::chrono::steady_clock::time_point;
  using LoadFrame = detail::LoadFrame;

  struct Load : detail::LedLoad {
    Answer answer;
    std::exception_ptr error;
    std::condition_variable_any ended;
  };
  struct Entry {
    Key key;
    Answer answer;
    Time load_began;
  };
  using Entries = std::list<Entry>;
  using Kept = std::unordered_map<Key, typename Entries::iterator, Hash, Equal>;

  // As a difference, since a beginning plus a time to live of "forever" would overflow.
  bool is_fresh(const Entry& entry, Time now) const { return now - entry.load_began < options_.time_to_live; }

  Answer find_kept(const Key& key, Time now, Entries& dropped) {
    const auto found = kept_.find(key);
    if (found == kept_.end()) return nullptr;
    if (!is_fresh(*found->second, now)) {
      drop(found, dropped);
      return nullptr;
    }
    ++statistics_.hits;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->answer;
  }

  void drop(typename Kept::iterator place, Entries& dropped) {
    dropped.splice(dropped.end(), entries_, place->second);
    kept_.erase(place);
  }

  static coalesce_error stopped() {
    return {CoalesceFailure::stop_requested, "evenkey: a stop was requested before the answer was there"};
  }
  static coalesce_error too_late() {
    return {CoalesceFailure::deadline_passed, "evenkey: the deadline passed before the answer was there"};
  }

  Answer join(std::unique_lock<std::mutex>& lock, Load& load, const CoalesceWait& wait) {
    const detail::Waiting waiting(load);
    ++statistics_.joined;
    const auto has_ended = [&load] { return load.done.load(); };
    // "Never" is not handed on: some systems would add to it, and overflow.
    const bool ended = wait.deadline == (Time::max)()
                           ? load.ended.wait(lock, wait.stop, has_ended)
                           : load.ended.wait_until(lock, wait.stop, wait.deadline, has_ended);
    if (!ended) {
      ++statistics_.left;
      throw wait.stop.stop_requested() ? stopped() : too_late();
    }
    if (load.error) std::rethrow_exception(load.error);
    return load.answer;
  }

  // The one place where what a loader throws is caught; it may be anything.
  template <class Loader>
  void run(Load& load, const Key& key, Loader& loader) noexcept {
    const LoadFrame frame(this, &key);
    try {
      if constexpr (loads_a_key<Loader, Key, Value>) {
        load.answer = std::make_shared<const Value>(std::invoke(loader, key));
      } else {
        load.answer = std::make_shared<const Value>(std::invoke(loader));
      }
    } catch (...) {
      load.error = std::current_exception();
    }
  }

  // Must not throw: whoever waits would wait for ever.
  void finish(const std::shared_ptr<Load>& load, const Key& key, Time began) noexcept {
    Entries dropped;
    const Time now = now_();
    {
      const std::lock_guard lock(mutex_);
      load->done = true;
      if (load->error) ++statistics_.failed;
      // It is not there, or another's, where the key was invalidated meanwhile.
      if (const auto found = loads_.find(key); found != loads_.end() && found->second == load) {
        loads_.erase(found);
        if (load->answer) keep(key, {load->answer, began}, now, dropped);
      }
    }
    load->ended.notify_all();
  }

  void keep(const Key& key, std::pair<Answer, Time> answer, Time now, Entries& dropped) noexcept {
    if (now - answer.second >= options_.time_to_live) return;  // its load took longer than it would be kept
    try {
      Entries added;
      added.push_back({key, std::move(answer.first), answer.second});
      kept_.insert_or_assign(key, added.begin());
      entries_.splice(entries_.begin(), added);
    } catch (...) {
      return;  // no memory to keep it: it was loaded all the same
    }
    for (auto oldest = std::prev(entries_.end());
         entries_.size() > options_.max_entries || !is_fresh(*oldest, now);
         oldest = std::prev(entries_.end())) {
      if (is_fresh(*oldest, now)) ++statistics_.evicted;
      drop(kept_.find(oldest->key), dropped);
    }
  }

  const CoalesceOptions options_;
  const Now now_;
  const Equal equal_;
  mutable std::mutex mutex_;
  std::unordered_map<Key, std::shared_ptr<Load>, Hash, Equal> loads_;
  Entries entries_;  // the one last asked for first
  Kept kept_;
  CoalesceStatistics statistics_;
};

}  // namespace evenkey
