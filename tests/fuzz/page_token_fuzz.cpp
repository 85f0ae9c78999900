// SPDX-License-Identifier: BSL-1.0
//
// Page tokens, sealed ones too: any text is refused by a `token_error` or read as a place whose token is the very
// same text. Since random bytes have no checksum that fits, the target also makes tokens around a given body.
#include <evenkey/read/page_token.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "fuzz/fuzz.hpp"
#include "support/rows.hpp"

namespace {

using namespace evenkey;
using fuzz::require;

struct ByReal : support::RowIndexBase {
  using RowIndexBase::RowIndexBase;
  [[maybe_unused]] static constexpr std::string_view name = "by-real";
  using SortKey = NumberKey;
  static double sort_key(const support::Row& row) { return static_cast<double>(row.number); }
};

struct UnsortedByMap : support::RowIndexBase {
  using RowIndexBase::RowIndexBase;
  [[maybe_unused]] static constexpr std::string_view name = "unsorted-by-map";
  using SortKey = NoSortKey;
  using StartKey = std::map<std::string, std::string>;
};

/// A seal for tests, by no means a safe one: it shows only that what comes out of `open` is not trusted either.
struct Xor : TokenSeal {
  static constexpr char key = 0x5A;
  std::string seal(std::string_view bytes) const override {
    std::string sealed(bytes);
    for (char& byte : sealed)
      byte = static_cast<char>(byte ^ key);
    return sealed + "!";
  }
  std::optional<std::string> open(std::string_view sealed) const override {
    if (!sealed.ends_with('!')) return std::nullopt;
    std::string bytes = seal(sealed.substr(0, sealed.size() - 1));
    bytes.pop_back();
    return bytes;
  }
};

constexpr std::size_t partitions = 5;

template <class Index>
void read(std::string_view token, const detail::TokenBinding& binding, const TokenSeal* seal) try {
  if (binding.order == Order::by_shard) {
    const auto place = [&] {
      const fuzz::LinearMemory linear(token.size());
      return detail::read_shard_token<Index>(token, binding, partitions, seal);
    }();
    require(place.partition <= partitions, "a place is in a partition that is there");
    const std::string again = detail::write_token(binding, place, seal);
    // A map of text may be written in any order; it is read as one map, which has one token.
    const auto place_again = detail::read_shard_token<Index>(again, binding, partitions, seal);
    require(place_again.start_key == place.start_key, "the same place is read again");
    if constexpr (std::same_as<typename Index::StartKey, std::string>)
      require(again == token, "a place by shard has one token");
  } else {
    const auto place = [&] {
      const fuzz::LinearMemory linear(token.size());
      return detail::read_token<Index>(token, binding, seal);
    }();
    require(detail::write_token(binding, place, seal) == token, "a place has one token");
  }
} catch (const token_error&) {
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::size_t how = input.byte();
  const Xor xor_seal;
  const TokenSeal* const seal = (how & 1) != 0 ? &xor_seal : nullptr;
  const bool raw = (how & 2) != 0;
  detail::TokenBinding binding{.index = 1, .range = 2, .tag = 3};
  if ((how & 4) != 0) binding.order = Order::by_shard;
  if ((how & 8) != 0) binding.direction = Direction::descending;
  binding.layout = 4;

  std::string token;
  if (raw) {
    token = input.rest();
  } else {
    detail::TokenWriter writer;
    writer.byte((how & 16) != 0 ? static_cast<std::uint8_t>(input.byte()) : detail::token_version);
    writer.byte(static_cast<std::uint8_t>(input.byte() ^ detail::token_flags(binding)));
    writer.u64(binding.index);
    writer.u64((how & 32) != 0 ? input.byte() : binding.range);
    writer.u64(binding.tag);
    if (binding.order == Order::by_shard && (how & 64) == 0) writer.u64(binding.layout);
    for (const char byte : input.rest())
      writer.byte(static_cast<std::uint8_t>(byte));
    token = detail::end_token(std::move(writer), seal);
  }
  read<support::ByPerson>(token, binding, seal);
  read<support::ByNumber>(token, binding, seal);
  read<ByReal>(token, binding, seal);
  read<UnsortedByMap>(token, binding, seal);

  const std::string bytes(token);
  require(detail::from_base64url(detail::to_base64url(bytes)) == bytes, "base64url gives the bytes back");
  if (const auto plain = detail::from_base64url(token))
    require(detail::to_base64url(*plain) == token, "bytes have one text in base64url");
  return 0;
}
