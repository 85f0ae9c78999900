// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace evenkey {

/// Makes page tokens unreadable or unforgeable: an option of the verbs that give tokens.
///
/// A token holds the last sort key and primary key in the clear, and its checksum finds accidents, not
/// attacks. Seal it (an HMAC at least, authenticated encryption where keys are personal data) when it leaves
/// for somebody who must not see a key, or must not choose where a listing goes on.
/// Threads: called from the threads that call the verbs.
class TokenSeal {
 public:
  TokenSeal() = default;
  TokenSeal(const TokenSeal&) = default;
  TokenSeal& operator=(const TokenSeal&) = default;
  virtual ~TokenSeal() = default;

  /// The token's bytes, sealed; any bytes, evenkey makes them URL-safe.
  virtual std::string seal(std::string_view bytes) const = 0;
  /// What `seal` was given; nothing where this seal did not make it.
  virtual std::optional<std::string> open(std::string_view sealed) const = 0;
};

}  // namespace evenkey
