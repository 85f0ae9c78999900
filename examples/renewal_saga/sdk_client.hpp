// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/evenkey.hpp>
#include <evenkey/testing/memory_table.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "assumptions.hpp"
#include "clock.hpp"
#include "ledger.hpp"
#include "random.hpp"

namespace lab {

/// How one process's client retries: some attempts a request, a random wait before each that doubles its
/// range, and a bucket of retry tokens that all its requests share.
class SdkClient {
 public:
  explicit SdkClient(Random random) : random_(random) {}

  /// How long to wait before the next attempt; nothing: give up.
  std::optional<Duration> wait_after_throttling(std::uint32_t attempts) {
    if (attempts >= assumed.attempts || tokens_ < assumed.retry_costs) return std::nullopt;
    tokens_ -= assumed.retry_costs;
    const std::uint32_t range = (std::min)(assumed.retry_cap_ms, assumed.retry_base_ms << (attempts - 1));
    return milliseconds(random_.below(range + 1));
  }
  void succeeded(std::uint32_t attempts) {
    tokens_ = (std::min)(assumed.retry_tokens, tokens_ + (attempts > 1 ? assumed.retry_costs : 1));
  }

 private:
  Random random_;
  std::uint32_t tokens_ = assumed.retry_tokens;
};

/// One request and its attempts.
struct RequestState {
  std::uint32_t attempts = 0;
  Time due{};  ///< when the next attempt may be made
  bool gave_up = false;
};

/// A request is not answered: it was throttled, waits for its next attempt, or has none left.
class unanswered_error : public std::runtime_error {
 public:
  unanswered_error() : std::runtime_error("throttled") {}
};

/// Makes one attempt. `ask()` gives the answer and `units(answer)` what it cost; throttling is counted,
/// decides about the next attempt, and ends in `unanswered_error`.
template <class Ask, class UnitsOf>
auto attempt(RequestState& state, SdkClient& client, Ledger& ledger, Account account, Time now, Ask ask,
             UnitsOf units) {
  if (state.gave_up || state.due > now) throw unanswered_error();
  ++state.attempts;
  try {
    auto answer = ask();
    ledger.answered(account, now, units(answer));
    ledger.settled(account, state.attempts);
    client.succeeded(state.attempts);
    return answer;
  } catch (const evenkey::testing::dynamodb_error& error) {
    if (error.reasons().empty()) throw;  // not throttling: a fault of the lab
    ledger.throttled(account, now);
    if (const auto wait = client.wait_after_throttling(state.attempts)) {
      state.due = now + *wait;
    } else {
      state.gave_up = true;
      ledger.gave_up(account, state.attempts);
    }
    throw unanswered_error();
  }
}

}  // namespace lab
