// SPDX-License-Identifier: BSL-1.0
//
// What a server answers, whatever it is, ends in an output or in an `Error` of the client's. The client is the
// real one; its HTTP is replaced when the program is linked, so that the input is the answer.
#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "client.hpp"
#include "error.hpp"
#include "fuzz/fuzz.hpp"

namespace {

dynamodb::HttpAnswer next_answer;

}  // namespace

namespace dynamodb {

struct Http::Handle {};
Http::Http(Config config) : config_(std::move(config)) {}
Http::~Http() = default;
HttpAnswer Http::post(std::string_view, const std::string&, const CallOptions&) const { return next_answer; }

}  // namespace dynamodb

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dynamodb;
  fuzz::Input input(data, size);
  const std::size_t operation = input.below(10);
  next_answer.status = input.below(2) == 0 ? 200 : 400 + static_cast<int>(input.byte());
  next_answer.request_id = "request";
  next_answer.body = input.rest();
  Config config;
  config.endpoint = "http://127.0.0.1:1";
  config.region = "r";
  config.max_attempts = 1;
  const Client client(config);
  // Over, so that nothing waits for another try.
  const CallOptions options{.deadline = std::chrono::steady_clock::now()};
  const Item key{{"id", "o1"}};
  // The JSON library's tree takes some hundred bytes for the shortest value.
  const fuzz::LinearMemory linear(size, 2048);
  try {
    switch (operation) {
      case 0:
        client.query({.table = "t", .key_condition = "k = :k"}, options);
        break;
      case 1:
        client.scan({.table = "t"}, options);
        break;
      case 2:
        client.get("t", key, Consistency::eventual, options);
        break;
      case 3:
        client.put({.table = "t", .item = key, .condition = "c"}, options);
        break;
      case 4:
        client.update({.table = "t", .item = key, .update = "u", .condition = "c"}, options);
        break;
      case 5:
        client.remove({.table = "t", .item = key}, options);
        break;
      case 6:
        client.batch_get("t", {key, key}, Consistency::strong, options);
        break;
      case 7:
        client.batch_write("t", {key}, {key}, options);
        break;
      case 8:
        client.describe_table("t");
        break;
      default:
        client.create_table({.table = "t", .keys = {.partition_key = "id"}});
        break;
    }
  } catch (const Error& error) {
    fuzz::require(!error.details().name.empty(), "an error has a name");
  }
  return 0;
}
