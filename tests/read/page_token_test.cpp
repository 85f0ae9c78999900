// SPDX-License-Identifier: BSL-1.0
#include <evenkey/read.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "support/rows.hpp"
#include "support/seed.hpp"
#include "support/sorted_store.hpp"

using evenkey::Direction;
using evenkey::Order;
using evenkey::PageOptions;
namespace detail = evenkey::detail;

namespace {

template <class Index>
detail::TokenBinding binding(const PageOptions& options, std::string_view id = {}) {
  detail::TokenBinding bound;
  bound.index = evenkey::Xxh3_64{}(Index::name);
  bound.range = detail::hash_range(options.range, id);
  bound.tag = evenkey::Xxh3_64{}(options.tag);
  bound.order = options.order;
  bound.direction = options.direction;
  return bound;
}

/// Seals by a constant that it looks for again: enough to see what goes through it.
struct Reversing : evenkey::TokenSeal {
  std::string seal(std::string_view bytes) const override {
    return "sealed" + std::string(bytes.rbegin(), bytes.rend());
  }
  std::optional<std::string> open(std::string_view sealed) const override {
    if (!sealed.starts_with("sealed")) return std::nullopt;
    return std::string(sealed.rbegin(), sealed.rend() - 6);
  }
};

/// Of one row the sort key cannot be seen.
struct Picky : support::ByTime {
  using ByTime::ByTime;
  static std::string_view sort_key(const support::Row& row) {
    return row.id == "z" ? throw std::runtime_error("no sort key") : std::string_view(row.time);
  }
};

struct ByReal : support::ByNumber {
  using ByNumber::ByNumber;
  static double sort_key(const support::Row& row) { return static_cast<double>(row.number) / 4; }
};

struct ByMap : support::ByPerson {
  using ByPerson::ByPerson;
  using StartKey = std::map<std::string, std::string>;
};

std::unique_ptr<support::SortedStore<support::ByPerson>> small_store() {
  auto store = std::make_unique<support::SortedStore<support::ByPerson>>(
      support::ByPerson(3), support::StoreSettings{.page_size = 2});
  for (char id = 'a'; id < 'k'; ++id)
    store->put({std::string(1, id), "1", 0, std::string(1, id)});
  return store;
}

}  // namespace

TEST_SUITE("read") {
  TEST_CASE("after a page whose items cannot be placed, the token goes on from before it") {
    support::SortedStore store(Picky(2), {});
    for (int i = 10; i < 20; ++i)
      store.put({std::to_string(i), std::to_string(i), 0, std::to_string(i)});
    std::set<std::string> seen;
    std::set<std::uint32_t> broken;
    const auto query = [&](const evenkey::QueryRequest<std::string>& request) {
      auto page = store(request);
      if (request.shard->value == 0 && broken.insert(request.shard->value).second)
        page.items.insert(page.items.begin(), {"z", "99", 0, "z"});  // once
      return page;
    };
    std::string token;
    std::size_t pages = 0;
    do {
      const auto page = evenkey::read_page(
          store.index(), query, {.limit = 4, .on_failure = evenkey::OnFailure::collect, .max_concurrency = 1},
          token);
      for (const support::Row& row : page.items)
        seen.insert(row.primary);
      token = page.next_token;
    } while (!token.empty() && ++pages < 50);
    CHECK(broken.size() == 1);
    for (int i = 10; i < 20; ++i)
      CHECK(seen.count(std::to_string(i)) == 1);
  }

  TEST_CASE("a sort key of type Binary is paged by, whatever its bytes are") {
    support::SortedStore store(support::ByTime(2), {});
    for (const char last : {'\x00', '\x7F', '\x80', '\xFF'})
      store.put({std::string(1, last), std::string("\xFF\x00", 2) + last, 0, std::string(1, last)});
    for (const Direction direction : {Direction::ascending, Direction::descending}) {
      std::string token;
      std::size_t rows = 0;
      do {
        const auto page =
            evenkey::read_page(store.index(), store, {.limit = 1, .direction = direction}, token);
        rows += page.items.size();
        token = page.next_token;
      } while (!token.empty() && rows <= 4);
      CHECK(rows == 4);
    }
  }

  TEST_CASE("tokens are the bytes that docs/format/page-token.md says") {
    const auto by_person = binding<support::ByPerson>({});
    const auto by_number = binding<support::ByNumber>({.direction = Direction::descending, .tag = "open"});
    std::ifstream file(EVENKEY_TEST_DATA_DIR "/page_tokens.tsv");
    REQUIRE(file);
    std::size_t rows = 0;
    for (std::string line; std::getline(file, line);) {
      if (line.empty() || line[0] == '#') continue;
      CAPTURE(line);
      std::istringstream columns(line);
      std::string kind, sort_key, primary_key, token;
      std::getline(columns, kind, '\t');
      std::getline(columns, sort_key, '\t');
      std::getline(columns, primary_key, '\t');
      std::getline(columns, token, '\t');
      ++rows;
      if (kind == "text") {
        const std::optional<detail::ReadPosition<support::ByPerson>> place{{sort_key, primary_key}};
        CHECK(detail::write_token<support::ByPerson>(by_person, place, nullptr) == token);
        const auto read = detail::read_token<support::ByPerson>(token, by_person, nullptr);
        CHECK((read && read->sort_key == sort_key && read->primary_key == primary_key));
      } else if (kind == "number") {
        const std::optional<detail::ReadPosition<support::ByNumber>> place{
            {std::stoll(sort_key), primary_key}};
        CHECK(detail::write_token<support::ByNumber>(by_number, place, nullptr) == token);
        const auto read = detail::read_token<support::ByNumber>(token, by_number, nullptr);
        CHECK((read && read->sort_key == std::stoll(sort_key) && read->primary_key == primary_key));
      } else {
        CHECK(kind == "beginning");
        CHECK(detail::write_token<support::ByPerson>(by_person, std::nullopt, nullptr) == token);
        CHECK_FALSE(detail::read_token<support::ByPerson>(token, by_person, nullptr));
      }
    }
    CHECK(rows == 6);
  }

  TEST_CASE("a token is at most 160 bytes and 4/3 of its two keys, whatever the number of shards") {
    for (const std::size_t size : {0u, 1u, 36u, 1024u}) {
      const std::string key(size, 'k');
      const std::optional<detail::ReadPosition<support::ByPerson>> place{{key, key}};
      const std::string token =
          detail::write_token<support::ByPerson>(binding<support::ByPerson>({}), place, nullptr);
      CHECK(token.size() <= 160 + (2 * size * 4 + 2) / 3);
      CHECK(token.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") ==
            std::string::npos);
    }
  }

  TEST_CASE("one bit flipped anywhere is refused, and so is every prefix and every longer text") {
    const auto owned_store = small_store();
    auto& store = *owned_store;
    const auto page = evenkey::read_page(store.index(), store, {.limit = 3});
    const std::string& token = page.next_token;
    store.log().clear();
    for (std::size_t i = 0; i < token.size(); ++i) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        std::string flipped = token;
        flipped[i] = static_cast<char>(static_cast<unsigned char>(flipped[i]) ^ (1U << bit));
        CHECK_THROWS_AS((void)evenkey::read_page(store.index(), store, {.limit = 3}, flipped),
                        evenkey::token_error);
      }
      if (i != 0)
        CHECK_THROWS_AS((void)evenkey::read_page(store.index(), store, {.limit = 3}, token.substr(0, i)),
                        evenkey::token_error);
    }
    for (const char* more : {"A", "AA", "AAAA", "=", " "})
      CHECK_THROWS_AS((void)evenkey::read_page(store.index(), store, {.limit = 3}, token + more),
                      evenkey::token_error);
    CHECK(store.log().size() == 0);
  }

  TEST_CASE("a token whose checksum holds, and that no evenkey of this version wrote, is refused") {
    const auto refused = [](const auto& read, const std::string& token, const char* why) {
      CHECK_THROWS_WITH_AS((void)read(token), doctest::Contains(why), evenkey::token_error);
    };
    const auto by_person = binding<support::ByPerson>({});
    const auto read_text = [&](const std::string& token) {
      return detail::read_token<support::ByPerson>(token, by_person, nullptr);
    };
    const auto with_keys = [&](unsigned flags, const std::string& sort_key) {
      detail::TokenWriter writer = detail::begin_token(by_person, flags);
      writer.text(sort_key);
      writer.text("row");
      return detail::end_token(std::move(writer), nullptr);
    };
    const unsigned place = detail::token_has_place;
    CHECK(read_text(with_keys(place, "a"))->primary_key == "row");
    refused(read_text, with_keys(place, ""), "damaged");
    refused(read_text, with_keys(place, std::string(1025, 'k')), "damaged");
    refused(read_text, with_keys(place | 1U << detail::token_type_shift, "a"), "damaged");
    refused(read_text, with_keys(0, "a"), "damaged");  // something is left
    std::string later = *detail::from_base64url(with_keys(place, "a"));
    later.resize(later.size() - 8);
    later[0] = 2;
    detail::TokenWriter writer;
    for (const char byte : later)
      writer.byte(static_cast<std::uint8_t>(byte));
    refused(read_text, detail::end_token(std::move(writer), nullptr), "another version of evenkey");

    const auto by_real = binding<ByReal>({});
    const auto read_real = [&](const std::string& token) {
      return detail::read_token<ByReal>(token, by_real, nullptr);
    };
    const auto at = [&](double sort_key) {
      const std::optional<detail::ReadPosition<ByReal>> there{{sort_key, "row"}};
      return detail::write_token<ByReal>(by_real, there, nullptr);
    };
    CHECK(read_real(at(-0.25))->sort_key == -0.25);
    refused(read_real, at(std::numeric_limits<double>::quiet_NaN()), "damaged");
  }

  TEST_CASE("a token of a listing by shard whose place does not exist is refused") {
    auto bound = binding<ByMap>({.order = Order::by_shard});
    bound.layout = 7;
    const auto token = [&](unsigned flags, std::uint32_t partition, const std::string& start_key) {
      detail::TokenWriter writer = detail::begin_token(bound, flags);
      writer.u64(bound.layout);
      writer.u32(partition);
      if (flags != 0) writer.text(start_key);
      return detail::end_token(std::move(writer), nullptr);
    };
    const auto read = [&](const std::string& text) {
      return detail::read_shard_token<ByMap>(text, bound, 3, nullptr);
    };
    const unsigned place = detail::token_has_place;
    CHECK(read(token(0, 3, "")).partition == 3);
    const std::string good("\0\0\0\1k\0\0\0\1v", 10);
    CHECK(read(token(place, 1, good)).start_key == ByMap::StartKey{{"k", "v"}});
    CHECK_THROWS_WITH_AS((void)read(token(0, 4, "")), doctest::Contains("damaged"), evenkey::token_error);
    for (const std::size_t size : {1U, 4U, 5U, 8U, 9U})  // cut within a length, a name or a value
      CHECK_THROWS_WITH_AS((void)read(token(place, 1, good.substr(0, size))), doctest::Contains("damaged"),
                           evenkey::token_error);
    bound.layout = 8;
    const std::string of_eight = token(0, 1, "");
    bound.layout = 7;
    CHECK_THROWS_WITH_AS((void)read(of_eight), doctest::Contains("another layout"), evenkey::token_error);
  }

  TEST_CASE("random bytes are refused, and never read past their end") {
    std::mt19937_64 random(support::seed());
    const auto bound = binding<support::ByPerson>({});
    for (int i = 0; i < 5000; ++i) {
      std::string bytes(random() % 80, '\0');
      for (char& byte : bytes)
        byte = static_cast<char>(random() & 0xFF);
      // Half of them with a checksum that holds, so that what is behind it is reached.
      if (bytes.size() >= 26 && i % 2 == 0) {
        detail::TokenWriter head = detail::begin_token(bound, static_cast<unsigned>(random() & 4));
        bytes = detail::end_token(std::move(head), nullptr);
        bytes = *detail::from_base64url(bytes);
        bytes.resize(bytes.size() - 8);
        for (std::size_t more = random() % 20; more-- > 0;)
          bytes.push_back(static_cast<char>(random() & 3));
        detail::TokenWriter checksum;
        checksum.u64(evenkey::Xxh3_64{}(bytes));
        bytes += checksum.bytes();
      }
      try {
        (void)detail::read_token<support::ByPerson>(detail::to_base64url(bytes), bound, nullptr);
      } catch (const evenkey::token_error&) {
      }
    }
  }

  TEST_CASE(
      "a token belongs to index, order, direction, range and tag; not to limit, budget or concurrency") {
    const auto owned_store = small_store();
    auto& store = *owned_store;
    const auto token = evenkey::read_page(store.index(), store, {.limit = 3}).next_token;
    const auto refused = [&](const PageOptions& options) {
      CHECK_THROWS_AS((void)evenkey::read_page(store.index(), store, options, token), evenkey::token_error);
    };
    store.log().clear();
    refused({.order = Order::by_shard});
    refused({.direction = Direction::descending});
    refused({.range = evenkey::SortKeyCondition::greater("b")});
    refused({.tag = "open only"});
    support::SortedStore<support::ByTime> other(support::ByTime(3), {});
    CHECK_THROWS_AS((void)evenkey::read_page(other.index(), other, {}, token), evenkey::token_error);
    CHECK(store.log().size() == 0);
    CHECK(evenkey::read_page(store.index(), store, {.max_concurrency = 1, .max_read_units = 100}, token)
              .items.size() == 7);
  }

  TEST_CASE("a sealed token hides its keys, and only its seal opens it") {
    const auto owned_store = small_store();
    auto& store = *owned_store;
    const Reversing seal;
    const auto page = evenkey::read_page(store.index(), store, {.limit = 3, .seal = &seal});
    CHECK(detail::from_base64url(page.next_token)->starts_with("sealed"));
    CHECK(evenkey::read_page(store.index(), store, {.seal = &seal}, page.next_token).items.size() == 7);
    CHECK_THROWS_AS((void)evenkey::read_page(store.index(), store, {}, page.next_token),
                    evenkey::token_error);
    const auto open = evenkey::read_page(store.index(), store, {.limit = 3}).next_token;
    CHECK_THROWS_AS((void)evenkey::read_page(store.index(), store, {.seal = &seal}, open),
                    evenkey::token_error);
  }

  TEST_CASE("extreme numbers are places too") {
    const auto bound = binding<support::ByNumber>({});
    for (const std::int64_t number : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1},
                                      std::int64_t{0}, std::numeric_limits<std::int64_t>::max()}) {
      const std::optional<detail::ReadPosition<support::ByNumber>> place{{number, std::string("\0\xff#", 3)}};
      const auto token = detail::write_token<support::ByNumber>(bound, place, nullptr);
      const auto read = detail::read_token<support::ByNumber>(token, bound, nullptr);
      REQUIRE(read);
      CHECK(read->sort_key == number);
      CHECK(read->primary_key == place->primary_key);
    }
  }

  TEST_CASE("base64url is RFC 4648's, and has one text for each bytes") {
    for (const auto& [bytes, text] : {std::pair<std::string, std::string>{"", ""},
                                      {"f", "Zg"},
                                      {"fo", "Zm8"},
                                      {"foo", "Zm9v"},
                                      {"foob", "Zm9vYg"},
                                      {"\xfb\xff", "-_8"}}) {
      CHECK(detail::to_base64url(bytes) == text);
      CHECK(detail::from_base64url(text) == bytes);
    }
    for (const char* wrong : {"Z", "Zh", "Zm9", "Zg==", "Zm+v", "Zm/v", "Zm 9"})
      CHECK_FALSE(detail::from_base64url(wrong));
  }
}
