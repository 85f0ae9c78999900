// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "config.hpp"

namespace dynamodb {

/// How long one call may take, whatever the configuration says.
struct CallOptions {
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  std::stop_token stop = {};
};

struct HttpAnswer {
  int status = 0;
  std::string body;
  std::string request_id;
};

/// Signed POST requests to one endpoint, over connections that are kept.
///
/// Threads: any number. Each uses a handle of its own, and gives it back with its connection, so that threads
/// that live for one read find connections that are open.
class Http {
 public:
  explicit Http(Config config);
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;
  ~Http();

  /// One attempt.
  /// Errors: no whole answer → `Error`; one that does not have the checksum that it names too. An answer that
  /// says an error is returned.
  HttpAnswer post(std::string_view operation, const std::string& body, const CallOptions& options) const;

  const Config& config() const noexcept { return config_; }

 private:
  struct Handle;

  std::unique_ptr<Handle> take() const;

  Config config_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Handle>> idle_;
};

/// CRC-32 as zlib has it, which `x-amz-crc32` holds.
std::uint32_t crc32(std::string_view bytes) noexcept;

}  // namespace dynamodb
