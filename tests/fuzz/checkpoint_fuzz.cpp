// SPDX-License-Identifier: BSL-1.0
//
// Checkpoints of a backfill: any text is refused by a `checkpoint_error`, or is the only text of its values.
#include <evenkey/migrate/checkpoint/checkpoint_text.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fuzz/fuzz.hpp"

namespace {

using namespace evenkey;
using namespace evenkey::detail;
using fuzz::require;

void read(std::string_view text) try {
  const fuzz::LinearMemory linear(text.size());
  const Checkpoint checkpoint = read_checkpoint(text);
  require(write_checkpoint(checkpoint) == text, "a checkpoint has one text");
} catch (const checkpoint_error&) {
}

void write_and_read(fuzz::Input& input) {
  Checkpoint checkpoint;
  checkpoint.plan = {std::string(input.text()), std::string(input.text()), std::string(input.text()),
                     std::string(input.text()), static_cast<std::uint32_t>(input.number())};
  checkpoint.drained_ms = static_cast<std::int64_t>(input.number());
  for (std::uint64_t& count : checkpoint.counts)
    count = input.number();
  const auto key = [&input]() -> std::optional<std::string> {
    if (input.below(2) == 0) return std::nullopt;
    return std::string(input.text());
  };
  while (!input.empty()) {
    if (input.below(2) == 0) {
      CheckpointPlace place{static_cast<std::uint32_t>(input.number()), key()};
      if (!place.start_key && input.below(2) == 0) place.at = CheckpointPlace::At::end;
      checkpoint.places.push_back(place);
    } else {
      const auto segment = static_cast<std::uint32_t>(input.number());
      std::optional<std::string> from = key(), to = key();
      checkpoint.failures.push_back({segment, std::move(from), std::move(to), std::string(input.text())});
    }
  }
  const std::string text = write_checkpoint(checkpoint);
  require(write_checkpoint(read_checkpoint(text)) == text, "a checkpoint is read as it was written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::size_t how = input.below(3);
  if (how == 2) {
    write_and_read(input);
    return 0;
  }
  std::string text(how == 0 ? std::string_view() : checkpoint_head);
  text += input.rest();
  read(how == 0 ? text : text + checkpoint_tail(text));
  const std::string word = to_escaped(text);
  require(from_escaped(word) == text, "a word is read as it was written");
  if (const auto bytes = from_escaped(text))
    require(to_escaped(*bytes).size() >= bytes->size(), "it is escaped");
  return 0;
}
