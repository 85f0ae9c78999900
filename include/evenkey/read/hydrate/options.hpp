// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>
#include <evenkey/read/hydrate/batch_get.hpp>
#include <evenkey/read/options.hpp>
#include <evenkey/read/retry.hpp>

#include <cstddef>
#include <optional>
#include <stop_token>

namespace evenkey {

/// How `hydrate` reads. The order of members is API.
struct HydrateOptions {
  /// Strong: a row that is missing was so when it was asked for, and what has changed is seen.
  Consistency consistency = Consistency::eventual;
  /// Whether rows that cannot be read are an error or a part of the answer.
  OnFailure on_failure = OnFailure::raise;
  /// How often in a row a batch may come back with no answer at all, all of its keys unprocessed; at least 1.
  std::size_t max_idle_rounds = 8;
  /// No request starts after it; it is passed on in each request.
  std::optional<Deadline> deadline = {};
  /// No request starts after a stop is requested; it is passed on in each request.
  std::stop_token stop = {};
  /// For what the functor throws: off by default, because clients retry themselves. Its delays are those of
  /// unprocessed keys too, which no client asks for again; its attempts and its budget are not: rounds without
  /// an answer are paid from a budget of the call's own, into which an answer pays back.
  RetryOptions retry = {};
};

namespace detail {

inline void check_hydrate_options(const HydrateOptions& options) {
  check_options(options);
  require_positive(options.max_idle_rounds,
                   "evenkey: max_idle_rounds is 0, so nothing could ever be answered; give at least 1");
}

}  // namespace detail
}  // namespace evenkey
