// SPDX-License-Identifier: BSL-1.0
//
// Recordings, and the tokens of the drift and parity checks: any bytes are refused, or are the only ones of their
// values.
#include <evenkey/migrate/parity/recording.hpp>
#include <evenkey/migrate/parity/token.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzz.hpp"

namespace {

using namespace evenkey;
using namespace evenkey::detail;
using fuzz::require;
using Lanes = std::vector<WalkLane<std::string>>;

void recording(std::string_view bytes) {
  const auto read = [&] {
    const fuzz::LinearMemory linear(bytes.size());
    return Recording::parse(bytes);
  }();
  if (!read) return;
  require(read->bytes() == bytes, "a recording has one text");
  require(compare_recordings(*read, *read).mismatched == 0, "a recording does not differ from itself");
}

void drift_token(std::string_view token) try {
  DriftReport report;
  report.migration = "m";
  Lanes lanes(2);
  {
    const fuzz::LinearMemory linear(token.size());
    read_drift_token(token, "m", report, lanes);
  }
  require(write_drift_token(report, lanes) == token, "the place of a drift check has one token");
} catch (const token_error&) {
}

void parity_token(std::string_view token) try {
  constexpr double sample = 0.5;
  ParityReport report;
  report.layout = "l";
  Lanes table(1), index(2);
  BucketDifferences differences(8);
  const ParityPlace<std::string, std::string> place{table, index, differences};
  {
    const fuzz::LinearMemory linear(token.size());
    read_parity_token(token, sample, report, place);
  }
  const std::string again = write_parity_token(report, sample, place);
  require(again.size() <= token.size(), "a place is written no longer than it was read");
} catch (const token_error&) {
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::size_t how = input.below(4);
  if (how == 0) {
    const std::string_view bytes = input.rest();
    recording(bytes);
    drift_token(bytes);
    parity_token(bytes);
    return 0;
  }
  // The head that the reader expects, the given bytes, and the checksum that fits.
  TokenWriter writer;
  if (how == 1) {
    writer.u64(recording_magic);
  } else if (how == 2) {
    writer.byte(drift_token_kind);
    writer.byte(drift_token_version);
    writer.u64(Xxh3_64{}("m"));
  } else {
    writer.byte(parity_token_kind);
    writer.byte(parity_token_version);
    writer.u64(Xxh3_64{}("l"));
    writer.u64(std::bit_cast<std::uint64_t>(0.5));
  }
  for (const char byte : input.rest())
    writer.byte(static_cast<std::uint8_t>(byte));
  const std::string bytes = with_checksum(std::move(writer));
  if (how == 1) recording(bytes);
  if (how == 2) drift_token(to_base64url(bytes));
  if (how == 3) parity_token(bytes);
  return 0;
}
