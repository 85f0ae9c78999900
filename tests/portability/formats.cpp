// SPDX-License-Identifier: BSL-1.0
// Every byte format above the keys, written and read back: the same bytes on every machine.
#include <evenkey/migrate/checkpoint/checkpoint_text.hpp>
#include <evenkey/migrate/layout_record.hpp>
#include <evenkey/migrate/lease/lease_record.hpp>
#include <evenkey/migrate/parity/recording.hpp>
#include <evenkey/migrate/parity/row_digest.hpp>
#include <evenkey/migrate/parity/token.hpp>
#include <evenkey/migrate/phase_record.hpp>
#include <evenkey/read/page_token.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/golden_lines.hpp"
#include "support/rows.hpp"
#include "support/two_copies.hpp"

namespace formats {

namespace detail = evenkey::detail;
using namespace std::string_literals;

/// Bytes by their hexadecimal digits; blanks are for the reader.
std::string bytes_of(std::string_view digits) {
  std::string bytes;
  unsigned high = 0;
  bool half = false;
  for (const char c : digits) {
    if (c == ' ') continue;
    const unsigned value = static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
    if (half) bytes.push_back(static_cast<char>(high << 4 | value));
    high = value;
    half = !half;
  }
  return bytes;
}

std::string big_endian(std::uint64_t number) {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8)
    bytes.push_back(static_cast<char>(number >> shift & 0xFF));
  return bytes;
}
std::string hash_of(std::string_view bytes) { return big_endian(evenkey::Xxh3_64{}(bytes)); }
std::string with_checksum(const std::string& bytes) { return bytes + hash_of(bytes); }

template <class Index>
detail::TokenBinding binding(const evenkey::PageOptions& options) {
  detail::TokenBinding bound;
  bound.index = evenkey::Xxh3_64{}(Index::name);
  bound.range = detail::hash_range(options.range, {});
  bound.tag = evenkey::Xxh3_64{}(options.tag);
  bound.order = options.order;
  bound.direction = options.direction;
  return bound;
}

template <class Index, class Key>
void check_token(const detail::TokenBinding& bound, const Key& sort_key, const std::string& primary_key,
                 const std::string& token) {
  const std::optional<detail::ReadPosition<Index>> place{{sort_key, primary_key}};
  CHECK(detail::write_token<Index>(bound, place, nullptr) == token);
  const auto read = detail::read_token<Index>(token, bound, nullptr);
  REQUIRE(read);
  CHECK(read->sort_key == sort_key);
  CHECK(read->primary_key == primary_key);
}

struct ByAttributes : support::ByPerson {
  using ByPerson::ByPerson;
  using StartKey = std::map<std::string, std::string>;
};

struct ByDouble : support::RowIndexBase {
  using RowIndexBase::RowIndexBase;
  static constexpr std::string_view name = "by-double";
  using SortKey = evenkey::NumberKey;
  static double sort_key(const support::Row&) { return 0; }
};

}  // namespace formats

using namespace formats;

TEST_SUITE("portability") {
  TEST_CASE("page tokens are those of page_tokens.tsv") {
    const auto by_person = binding<support::ByPerson>({});
    const auto by_number =
        binding<support::ByNumber>({.direction = evenkey::Direction::descending, .tag = "open"});
    std::size_t rows = 0;
    for (const auto& line : support::golden_lines("page_tokens.tsv")) {
      REQUIRE(line.size() == 4);
      ++rows;
      if (line[0] == "text") {
        check_token<support::ByPerson>(by_person, line[1], line[2], line[3]);
      } else if (line[0] == "number") {
        check_token<support::ByNumber>(by_number, std::int64_t{std::stoll(line[1])}, line[2], line[3]);
      } else {
        CHECK(detail::write_token<support::ByPerson>(by_person, std::nullopt, nullptr) == line[3]);
      }
    }
    CHECK(rows == 6);
  }

  TEST_CASE(
      "tokens of doubles and of listings by shard are, byte by byte, what docs/format/page-token.md says") {
    const auto by_double = binding<ByDouble>({});
    const std::string tail = big_endian(by_double.range) + hash_of("");
    check_token<ByDouble>(by_double, -2.5, "p",
                          detail::to_base64url(with_checksum(bytes_of("01 14") + hash_of("by-double") + tail +
                                                             bytes_of("c004000000000000 00000001 70"))));

    auto by_shard = binding<ByAttributes>({.order = evenkey::Order::by_shard});
    by_shard.layout = 0x0102030405060708;
    const std::string token = detail::to_base64url(with_checksum(
        bytes_of("01 05") + hash_of("by-person") + tail +
        bytes_of(
            "0102030405060708 00000003 00000017 00000002 706b 00000001 31 00000001 73 00000003 610062")));
    const detail::ShardPosition<ByAttributes> place =
        detail::read_shard_token<ByAttributes>(token, by_shard, 5, nullptr);
    CHECK(place.partition == 3);
    CHECK(place.start_key == ByAttributes::StartKey{{"pk", "1"}, {"s", "a\0b"s}});
    CHECK(detail::write_token<ByAttributes>(by_shard, place, nullptr) == token);
    // The range of no condition and no id: a zero byte, two absent values, an empty text.
    CHECK(big_endian(by_double.range) == hash_of(bytes_of("00 00 00000000 00 00000000 00000000")));
  }

  TEST_CASE("the tokens of checks have the same bytes everywhere") {
    evenkey::DriftReport drift;
    drift.migration = "m";
    drift.started = std::chrono::system_clock::time_point(std::chrono::seconds(-1));
    drift.scanned = 0x01020304;
    drift.consumed_read_units = 0.5;
    drift.samples = {"x"};
    const std::vector<detail::WalkLane<std::string>> lanes{{}, {"k", false}, {std::nullopt, true}};
    const std::string counts = big_endian(0) + big_endian(0x01020304) +
                               std::string(std::size_t{7} * 8, '\0') + bytes_of("3fe0000000000000");
    const std::string walked = bytes_of("00000003 00 01 00000001 6b 02");
    const std::string drift_token =
        detail::to_base64url(with_checksum("D\1"s + hash_of("m") + bytes_of("fffffffffff0bdc0") + counts +
                                           bytes_of("00000001 00000001 78") + walked));
    CHECK(detail::write_drift_token(drift, lanes) == drift_token);
    evenkey::DriftReport read;
    std::vector<detail::WalkLane<std::string>> read_lanes(3);
    detail::read_drift_token<std::string>(drift_token, "m", read, read_lanes);
    CHECK(read.started == drift.started);
    CHECK(read.scanned == drift.scanned);
    CHECK(read.consumed_read_units == drift.consumed_read_units);
    CHECK(read_lanes[1].next == "k");

    evenkey::ParityReport parity;
    parity.layout = "i: S";
    parity.started = drift.started;
    parity.compared = 7;
    auto table = lanes;
    auto index = lanes;
    detail::BucketDifferences differences(4);
    differences[2] = {0x0102030405060708, -1, 9};
    CHECK(detail::write_parity_token<std::string, std::string>(parity, 1.0, {table, index, differences}) ==
          with_checksum("P\1"s + hash_of("i: S") + bytes_of("3ff0000000000000 fffffffffff0bdc0") +
                        big_endian(0) + big_endian(7) + std::string(std::size_t{3} * 8, '\0') + walked +
                        walked + bytes_of("00000004 00000001 00000002 0102030405060708 ffffffff 00000009")));
  }

  TEST_CASE("a row's digest is that of docs/format/recording.md") {
    const support::CopiesBy<16> index;
    const support::Copy row{"RSAGA#1", "person-42", "person-42#2026", "C#13", "open"};
    const auto by_payload = [](const support::Copy& copy) -> const std::string& { return copy.payload; };
    const detail::RowDigest digest =
        detail::row_digest(index, row, detail::digest_of(evenkey::digest_by(by_payload)));
    CHECK(digest.key == 0x1f8e74d7972e7443);
    CHECK(digest.digest == 0xc9ec9c45cd827cb0);
    CHECK(detail::bucket_of(digest.key, 4) == 0);
  }

  TEST_CASE("checkpoints are those of checkpoint.txt") {
    std::ifstream file(EVENKEY_TEST_DATA_DIR "/checkpoint.txt");
    const std::string golden{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    REQUIRE(!golden.empty());
    const detail::Checkpoint read = detail::read_checkpoint(golden);
    CHECK(read.drained_ms == 1783000000123);
    CHECK(read.places[2].start_key == "\0\xC3\xA9\n"s);
    CHECK(detail::write_checkpoint(read) == golden);
  }

  TEST_CASE("phase and layout records are those of the golden files") {
    for (const auto& line : support::golden_lines("phase_records.tsv")) {
      const auto record = evenkey::parse_phase_record(line.at(5));
      REQUIRE(record);
      CHECK(std::to_string(record->version) == line[0]);
      CHECK(record->migration == line[1]);
      CHECK(evenkey::phase_name(record->phase) == line[2]);
      CHECK(std::to_string(record->changed_at.time_since_epoch().count()) == line[3]);
      CHECK(record->changed_by == line[4]);
      CHECK(evenkey::encode_phase_record(*record) == line[5]);
    }
    for (const auto& line : support::golden_lines("layout_records.tsv")) {
      CHECK(evenkey::encode_layout_record(line.at(0)) == line.at(1));
      CHECK(evenkey::parse_layout_record(line[1]) == line[0]);
    }
  }

  TEST_CASE("a lease is that of docs/format/lease.md") {
    const std::string text =
        "evenkey-lease/1\ntoken: 3\nbeat: 12\nowner: host-7\nduration_ms: 30000\nstate: open\ncheckpoint: \n"
        "checksum: 959e2c09edf3dbe3\n";
    CHECK(detail::write_lease(detail::read_lease(text)) == text);
    CHECK(detail::read_lease(text).beat == 12);
  }

  TEST_CASE("a recording is, byte by byte, what docs/format/recording.md says") {
    evenkey::Recording recording;
    recording.layout = "i: S";
    recording.label = "open";
    recording.sample = 0.5;
    recording.started = std::chrono::system_clock::time_point(std::chrono::seconds(-1));
    recording.coverage = evenkey::Coverage::whole;
    recording.buckets = {{1, 0xc9ec9c45cd827cb0}, {0x01020304, 5}};
    const std::string whole = with_checksum(bytes_of(
        "65766b7265633031 01 3fe0000000000000 fffffffffff0bdc0 00000004 693a2053 00000004 6f70656e 00000002 "
        "00000001 c9ec9c45cd827cb0 01020304 0000000000000005"));
    CHECK(recording.bytes() == whole);
    CHECK(evenkey::Recording::parse(whole) == recording);
  }
}
