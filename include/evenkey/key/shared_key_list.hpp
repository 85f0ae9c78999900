// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/key/key_text.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evenkey::detail {

/// The keys of one prefix, rendered once at run time.
template <class Policy>
struct KeyList {
  std::string bytes;                   // all keys, one behind the other
  std::vector<std::string_view> keys;  // into bytes
  std::string layout;
  KeyFormat format;
  std::size_t stem_size;

  KeyList(const KeyText& text, const Policy& policy) : format(text.format), stem_size(text.stem_size()) {
    const auto& fingerprint = policy.fingerprint();
    bytes.resize(text.longest() * text.shard_count);
    keys.reserve(text.shard_count);
    char* out = bytes.data();
    for (std::uint32_t shard = 0; shard < text.shard_count; ++shard) {
      char* const end = text.write_number(shard, text.write_stem(out));
      keys.emplace_back(out, static_cast<std::size_t>(end - out));
      out = end;
    }
    layout.resize(text.layout_size(fingerprint));
    text.write_layout(fingerprint, layout.data());
  }
  KeyList(const KeyList&) = delete;
  KeyList& operator=(const KeyList&) = delete;

  std::optional<ShardId> parse(std::string_view text) const noexcept {
    const KeyText form{{}, format, static_cast<std::uint32_t>(keys.size())};
    return form.parse(keys.front().substr(0, stem_size), text);
  }
};

/// An immutable list that its copies share; the last of them frees it. `std::shared_ptr` would do, but its
/// header alone takes what key.hpp may cost a build beside the headers of strings and vectors.
///
/// Threads: as `std::shared_ptr`.
template <class Policy>
class SharedKeyList {
 public:
  /// Errors: `key_error` for a text that can make no keys.
  SharedKeyList(const KeyText& text, const Policy& policy) {
    text.check();
    shared_ = new Shared(text, policy);
  }
  SharedKeyList(const SharedKeyList& other) noexcept : shared_(other.shared_) {
    shared_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  SharedKeyList& operator=(const SharedKeyList& other) noexcept {
    SharedKeyList copy(other);
    Shared* const own = shared_;
    shared_ = copy.shared_;
    copy.shared_ = own;
    return *this;
  }
  ~SharedKeyList() {
    // What other owners read of the list has happened before it is freed.
    if (shared_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete shared_;
  }

  const KeyList<Policy>* operator->() const noexcept { return &shared_->list; }

 private:
  struct Shared {
    KeyList<Policy> list;
    std::atomic<std::size_t> owners{1};
    Shared(const KeyText& text, const Policy& policy) : list(text, policy) {}
  };

  Shared* shared_ = nullptr;
};

}  // namespace evenkey::detail
