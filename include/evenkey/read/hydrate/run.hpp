// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/read/failure.hpp>
#include <evenkey/read/hydrate/batch_get.hpp>
#include <evenkey/read/hydrate/options.hpp>
#include <evenkey/read/hydrate/result.hpp>
#include <evenkey/read/options.hpp>
#include <evenkey/read/retry.hpp>
#include <evenkey/read/retrying.hpp>
#include <evenkey/read/start_key_traits.hpp>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace evenkey {

namespace detail {

/// One call of `hydrate`: which keys are wanted, what was answered, and the tries of one batch.
template <class Entry, class BatchGet, class KeyOf, class Classifier, class Clock>
class HydrateRun {
 public:
  using Key = TableKeyOf<Entry, KeyOf>;
  using Answer = BatchAnswerOf<BatchGet, Key>;
  using Row = typename RowOfAnswer<Answer>::type;
  static_assert(std::same_as<TableKeyOf<Row, KeyOf>, Key>,
                "evenkey: key_of must give the same type of an entry and of a row");
  static_assert(std::copy_constructible<Row>, "evenkey: two entries of one key each get a copy of its row");

  HydrateRun(std::vector<Entry>&& entries, BatchGet& batch_get, const KeyOf& key_of,
             const HydrateOptions& options, Classifier classifier, Clock& clock)
      : batch_get_(batch_get),
        key_of_(key_of),
        options_(options),
        classifier_(std::move(classifier)),
        clock_(clock),
        idle_budget_(idle_budget_for(options.max_idle_rounds)) {
    place_of_entry_.reserve(entries.size());
    result_.items.reserve(entries.size());
    for (Entry& entry : entries) {
      Key key = std::invoke(key_of_, std::as_const(entry));
      const auto [at, is_new] = places_.try_emplace(bytes_of(key), wanted_.size());
      if (is_new) wanted_.push_back({std::move(key)});
      ++wanted_[at->second].entries;
      place_of_entry_.push_back(at->second);
      result_.items.push_back({std::move(entry)});
    }
  }

  template <class Unchanged>
  HydrateResult<Entry, Row> result(const Unchanged& unchanged) {
    for (std::size_t first = 0; first < wanted_.size(); first += most_keys_of_a_batch) {
      const std::size_t last = (std::min)(wanted_.size(), first + most_keys_of_a_batch);
      if (std::exception_ptr why = reason_not_to_ask()) {
        fail(wanted_.size() - first, why);
        break;
      }
      if (std::exception_ptr error = read_batch(first, last)) fail(left_of(first, last), error);
    }
    for (std::size_t i = 0; i < result_.items.size(); ++i)
      settle(result_.items[i], wanted_[place_of_entry_[i]], unchanged);
    return std::move(result_);
  }

 private:
  struct Wanted {
    Key key;
    std::size_t entries = 0;  // that are still to get the row
    bool answered = false;
    std::optional<Row> row = {};
  };
  using Places = std::vector<std::size_t>;  // of keys, in wanted_

  static std::string bytes_of(const Key& key) { return std::string(start_key_traits<Key>::encode(key)); }

  std::exception_ptr reason_not_to_ask() {
    if (options_.stop.stop_requested())
      return std::make_exception_ptr(
          stopped_error("evenkey: a stop was requested before all rows were read"));
    if (options_.deadline && clock_.now() >= *options_.deadline)
      return std::make_exception_ptr(
          deadline_error("evenkey: the deadline passed before all rows were read"));
    return nullptr;
  }

  void fail(std::size_t keys, const std::exception_ptr& error) {
    HydrateFailure failure{keys, error, message_of(error)};
    if (options_.on_failure == OnFailure::raise) throw hydrate_error(std::move(failure));
    result_.failures.push_back(std::move(failure));
  }

  std::size_t left_of(std::size_t first, std::size_t last) const {
    std::size_t left = 0;
    for (std::size_t i = first; i < last; ++i)
      left += wanted_[i].answered ? 0U : 1U;
    return left;
  }

  /// Asks for a batch until all of it is answered.
  /// @returns what made it give up, or null
  std::exception_ptr read_batch(std::size_t first, std::size_t last) {
    Places open;
    for (std::size_t i = first; i < last; ++i)
      open.push_back(i);
    std::size_t idle_rounds = 0;
    for (;;) {
      Answer answer;
      if (std::exception_ptr error = ask(open, answer)) return error;
      Places left;
      // What key_of throws is no failure of the store: it leaves hydrate as it is.
      if (std::exception_ptr error = take_in(open, std::move(answer), left)) return error;
      const bool is_idle = left.size() == open.size();
      if (!is_idle) idle_budget_.pay_back();
      if (left.empty()) return nullptr;
      idle_rounds = is_idle ? idle_rounds + 1 : 0;
      open = std::move(left);
      const std::optional<std::chrono::nanoseconds> delay = delay_of_unprocessed(idle_rounds);
      if (!delay) return unprocessed_error(open.size(), idle_rounds);
      clock_.wait_until(clock_.now() + *delay, options_.stop);
      if (std::exception_ptr why = reason_not_to_ask()) return why;
    }
  }

  /// A round that answered something is not throttled but full: the next one comes soon, and costs no budget.
  /// One that answered nothing is paid from hydrate's own: the caller's is for what the functor throws.
  std::optional<std::chrono::nanoseconds> delay_of_unprocessed(std::size_t idle_rounds) {
    if (idle_rounds == 0) return retry_delay(options_.retry, ErrorKind::transient, 0, random_unit());
    RetryOptions retry = options_.retry;
    retry.max_attempts = options_.max_idle_rounds;
    return next_retry(retry, idle_budget_, ErrorKind::throttled, idle_rounds, clock_.now(), options_.deadline,
                      random_unit());
  }

  /// A hundred rounds over all batches; or as many as one batch may take, where that is more.
  static constexpr RetryBudgetOptions idle_budget_for(std::size_t max_idle_rounds) noexcept {
    constexpr std::size_t least = 100, most = (std::numeric_limits<std::uint32_t>::max)();
    return {.tokens = static_cast<std::uint32_t>(std::clamp(max_idle_rounds, least, most)),
            .throttled_cost = 1,
            .success_pays = 1};
  }

  static std::exception_ptr unprocessed_error(std::size_t keys, std::size_t rounds) {
    return std::make_exception_ptr(store_error({.kind = ErrorKind::throttled, .name = "UnprocessedKeys"},
                                               "the store left " + std::to_string(keys) +
                                                   " keys of a batch unprocessed, " + std::to_string(rounds) +
                                                   " times in a row with no answer at all"));
  }

  /// One answer, with what retries the options allow for what the functor throws.
  std::exception_ptr ask(const Places& open, Answer& answer) {
    std::vector<Key> keys;
    keys.reserve(open.size());
    for (const std::size_t place : open)
      keys.push_back(wanted_[place].key);
    const BatchGetRequest<Key> request{keys, options_.consistency, options_.deadline, options_.stop};
    std::exception_ptr error = retrying(
        options_.retry, clock_, options_.deadline, options_.stop,
        [&] {
          ++result_.requests;
          return error_of_calling([&] { answer = std::invoke(batch_get_, request); });
        },
        [&](const std::exception_ptr& failed) { return classify(failed, classifier_).kind; },
        [](auto&&...) {});
    if (!error) result_.consumed_read_units += answer.consumed_read_units;
    return error;
  }

  /// Notes what was answered; `left` gets what is to be asked again.
  std::exception_ptr take_in(const Places& open, Answer&& answer, Places& left) {
    for (Row& row : answer.items) {
      const std::optional<std::size_t> place = place_in(open, std::invoke(key_of_, std::as_const(row)));
      if (!place) return not_asked();
      Wanted& wanted = wanted_[*place];
      if (wanted.answered) continue;  // the same row twice in one answer
      wanted.answered = true;
      wanted.row.emplace(std::move(row));
    }
    for (const Key& key : answer.unprocessed_keys) {
      const std::optional<std::size_t> place = place_in(open, key);
      if (!place) return not_asked();
      if (!wanted_[*place].answered && std::find(left.begin(), left.end(), *place) == left.end())
        left.push_back(*place);
    }
    for (const std::size_t place : open)
      if (std::find(left.begin(), left.end(), place) == left.end()) wanted_[place].answered = true;
    return nullptr;
  }

  std::optional<std::size_t> place_in(const Places& open, const Key& key) const {
    const auto found = places_.find(bytes_of(key));
    if (found == places_.end() || std::find(open.begin(), open.end(), found->second) == open.end())
      return std::nullopt;
    return found->second;
  }

  static std::exception_ptr not_asked() {
    return std::make_exception_ptr(std::runtime_error(
        "evenkey: the batch-get functor answered with a key that it was not asked for; does key_of give the "
        "base table's key, of an entry as of a row?"));
  }

  template <class Unchanged>
  static void settle(Hydrated<Entry, Row>& item, Wanted& wanted, const Unchanged& unchanged) {
    --wanted.entries;
    if (!wanted.answered) return;
    if (!wanted.row) {
      item.state = Hydration::missing;
      return;
    }
    if (wanted.entries == 0) {
      item.row.emplace(std::move(*wanted.row));
    } else {
      item.row.emplace(*wanted.row);
    }
    const bool same = std::invoke(unchanged, std::as_const(item.entry), std::as_const(*item.row));
    item.state = same ? Hydration::found : Hydration::changed;
  }

  BatchGet& batch_get_;
  const KeyOf& key_of_;
  const HydrateOptions& options_;
  Classifier classifier_;
  Clock& clock_;
  RetryBudget idle_budget_;
  HydrateResult<Entry, Row> result_;
  std::vector<Wanted> wanted_;                           // each key once
  std::unordered_map<std::string, std::size_t> places_;  // of a key's bytes, in wanted_
  std::vector<std::size_t> place_of_entry_;
};

}  // namespace detail
}  // namespace evenkey
