// SPDX-License-Identifier: BSL-1.0
//
// DynamoDB's JSON of items, which is what the wire client reads answers, start keys and page tokens from: any text
// is refused by `std::invalid_argument`, or read as an item that comes back from its own text.
#include <stdexcept>
#include <string>
#include <string_view>

#include "functors.hpp"
#include "fuzz/fuzz.hpp"
#include "json.hpp"

using fuzz::require;

namespace {

/// Nothing that a token holds may use up the stack.
void deep(std::size_t levels, bool lists) {
  std::string text = R"({"a":)";
  for (std::size_t i = 0; i < levels; ++i)
    text += lists ? R"({"L":[)" : R"({"M":{"a":)";
  text += R"({"S":""})";
  for (std::size_t i = 0; i < levels; ++i)
    text += lists ? "]}" : "}}";
  text += "}";
  const auto item = evenkey::start_key_traits<dynamodb::Item>::decode(text);
  require(item.has_value() || levels > 32, "what DynamoDB takes is read");
  require(!item || levels < 256, "no more levels are read than the stack bears");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::size_t how = input.below(3);
  if (how == 2) {
    deep(input.byte() * 8, input.below(2) == 0);
    return 0;
  }
  if (how == 0) {
    const std::string_view text = input.rest();
    // The JSON library's tree takes some hundred bytes for the shortest value.
    const fuzz::LinearMemory linear(size, 1024);
    try {
      const dynamodb::Item item = dynamodb::from_json_text(text);
      const std::string again = dynamodb::to_json_text(item);
      require(dynamodb::from_json_text(again) == item, "an item is read as it was written");
      using Traits = evenkey::start_key_traits<dynamodb::Item>;
      require(Traits::decode(Traits::encode(item)) == item, "a start key is read as it was written");
    } catch (const std::invalid_argument&) {
      require(!evenkey::start_key_traits<dynamodb::Item>::decode(text), "what is no item is no start key");
    }
    return 0;
  }
  const std::string_view text = input.rest();
  require(dynamodb::from_base64(dynamodb::to_base64(text)) == text, "base64 gives the bytes back");
  try {
    require(dynamodb::from_base64(text).size() <= text.size(), "bytes are fewer than their text");
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
