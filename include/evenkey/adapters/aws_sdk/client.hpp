// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/read/options.hpp>

#include <algorithm>
#include <aws/core/client/ClientConfiguration.h>
#include <aws/core/client/RetryStrategy.h>
#include <aws/core/utils/threading/Executor.h>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace evenkey::aws_sdk {

/// Sets what a client needs to serve reads of many shards; all else stays as it is.
///
/// - as many connections as requests at once: the SDK's default is 25, and what exceeds it waits unseen;
/// - `attempts` in all, 4 as AWS's newer rules have it: the default is 11, and can hold a shard for 25 s. Set
///   1 where evenkey's own `RetryOptions` are on, as attempts multiply;
/// - no endpoint discovery: it asks for another endpoint first, which DynamoDB does not need.
/// @param max_concurrency over all reads that use the client at the same time
inline void prepare(Aws::Client::ClientConfiguration& configuration,
                    std::size_t max_concurrency = default_max_concurrency, long attempts = 4) {
  constexpr std::size_t most = (std::numeric_limits<unsigned>::max)();
  const auto wanted = static_cast<unsigned>((std::min)(max_concurrency, most));
  configuration.maxConnections = (std::max)(static_cast<unsigned>(configuration.maxConnections), wanted);
  configuration.retryStrategy = std::make_shared<Aws::Client::StandardRetryStrategy>(attempts);
  configuration.enableEndpointDiscovery = false;
}

/// Why a read would not have so many requests under way as it is allowed to; empty where it would. One line,
/// for a log at start-up.
///
/// What is under way at once is the lesser of threads and connections; a request beyond that waits within the
/// SDK, where neither its deadline nor a metric sees it.
/// @param threads of the executor that the read is given; a read's own threads are as many as it wants
inline std::string concurrency_note(const Aws::Client::ClientConfiguration& configuration,
                                    std::size_t max_concurrency,
                                    std::size_t threads = (std::numeric_limits<std::size_t>::max)()) {
  const std::size_t connections = configuration.maxConnections;
  const std::size_t parallel = (std::min)(connections, threads);
  if (max_concurrency <= parallel) return {};
  return "evenkey: max_concurrency is " + std::to_string(max_concurrency) + ", but only " +
         std::to_string(parallel) + " requests can be under way: " +
         (connections <= threads ? "maxConnections of the client is " : "the threads of the executor are ") +
         std::to_string(parallel);
}

/// The SDK's executor as one of evenkey's: a trailing argument of a blocking read, by reference.
///
/// Errors: where the pool is full or stopped, `std::system_error`; a read goes on without that help then.
class Executor {
 public:
  /// Shape: shares the executor.
  explicit Executor(std::shared_ptr<Aws::Utils::Threading::Executor> executor)
      : executor_(std::move(executor)) {
    if (!executor_) throw std::invalid_argument("evenkey: the SDK's executor is null");
  }
  /// Hands the work to the SDK's executor.
  void execute(std::function<void()> function) const {
    if (!executor_->Submit(std::move(function)))
      throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again),
                              "evenkey: the SDK's executor takes no more work");
  }

 private:
  std::shared_ptr<Aws::Utils::Threading::Executor> executor_;
};

}  // namespace evenkey::aws_sdk
