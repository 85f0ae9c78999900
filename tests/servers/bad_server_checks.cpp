// SPDX-License-Identifier: BSL-1.0
//
// The client against servers that misbehave, and against what is in the environment. The servers are here.
#include <doctest/doctest.h>

#include <arpa/inet.h>
#include <atomic>
#include <chrono>
#include <fstream>
#include <map>
#include <netinet/in.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "client.hpp"
#include "http.hpp"

namespace {

/// Answers every connection with the same bytes, then closes it; without bytes it says nothing.
class BadServer {
 public:
  explicit BadServer(std::string answer) : answer_(std::move(answer)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (listener_ < 0 || bind(listener_, generic, size) != 0 || listen(listener_, 16) != 0 ||
        getsockname(listener_, generic, &size) != 0)
      throw std::runtime_error("no socket to listen on");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  BadServer(const BadServer&) = delete;
  BadServer& operator=(const BadServer&) = delete;
  ~BadServer() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }

  dynamodb::Config config() const {
    return {.endpoint = "http://127.0.0.1:" + std::to_string(port_),
            .region = "us-east-1",
            .credentials = {"the-access-key", "the-secret", "the-token"},
            .connect_timeout = std::chrono::milliseconds(500),
            .request_timeout = std::chrono::milliseconds(300),
            .max_attempts = 2};
  }
  int requests() const noexcept { return requests_; }
  const std::string& last_request() const noexcept { return last_request_; }  // once it was answered

 private:
  void serve() {
    for (;;) {
      const int peer = accept(listener_, nullptr, nullptr);
      if (peer < 0) return;
      std::string request;
      char buffer[4096];
      while (request.find("\r\n\r\n{") == std::string::npos || !request.ends_with("}")) {
        const ssize_t got = recv(peer, buffer, sizeof(buffer), 0);
        if (got <= 0) break;
        request.append(buffer, static_cast<std::size_t>(got));
      }
      last_request_ = request;
      ++requests_;
      if (answer_.empty()) {
        while (recv(peer, buffer, sizeof(buffer), 0) > 0) {
        }
      } else {
        [[maybe_unused]] const ssize_t sent = send(peer, answer_.data(), answer_.size(), MSG_NOSIGNAL);
      }
      close(peer);
    }
  }

  std::string answer_;
  int listener_ = socket(AF_INET, SOCK_STREAM, 0);
  int port_ = 0;
  std::atomic<int> requests_ = 0;
  std::string last_request_;
  std::thread thread_;
};

std::string http(std::string_view status, std::string_view headers, std::string_view body,
                 std::size_t missing = 0) {
  return "HTTP/1.1 " + std::string(status) + "\r\nContent-Length: " + std::to_string(body.size() + missing) +
         "\r\nConnection: close\r\n" + std::string(headers) + "\r\n" + std::string(body);
}

dynamodb::Error error_of(const dynamodb::Config& config) {
  try {
    dynamodb::Client(config).scan({.table = "orders"});
  } catch (const dynamodb::Error& error) {
    for (const char* secret : {"the-access-key", "the-secret", "the-token"})
      CHECK(std::string_view(error.what()).find(secret) == std::string_view::npos);
    CHECK(std::string_view(error.what()).find('\n') == std::string_view::npos);
    return error;
  }
  FAIL("no error");
  return {{}, ""};
}

/// The name of the error that a call ends in.
template <class Call>
std::string name_of_error(const BadServer& server, const Call& call) {
  try {
    call(dynamodb::Client(server.config()));
  } catch (const dynamodb::Error& error) {
    return std::string(error.name());
  }
  return "none";
}

}  // namespace

TEST_SUITE_BEGIN("bad servers");

TEST_CASE("a server that hangs is a time-out, asked again") {
  const BadServer server("");
  const auto error = error_of(server.config());
  CHECK(error.name() == "RequestTimeout");
  CHECK(error.kind() == evenkey::ErrorKind::transient);
  CHECK(server.requests() == 2);
}

TEST_CASE("half an answer is none") {
  const BadServer server(http("200 OK", "", R"({"Items":[)", 100));
  CHECK(error_of(server.config()).name() == "ConnectionLost");
}

TEST_CASE("an answer with another checksum than it names is refused, one with the right one is taken") {
  CHECK(dynamodb::crc32("123456789") == 0xCBF43926U);
  const BadServer wrong(http("200 OK", "x-amz-crc32: 12345\r\n", R"({"Items":[],"Count":0})"));
  CHECK(error_of(wrong.config()).name() == "ChecksumMismatch");
  CHECK(wrong.requests() == 2);
  const std::string body = R"({"Items":[],"Count":0})";
  const BadServer right(
      http("200 OK", "X-Amz-Crc32: " + std::to_string(dynamodb::crc32(body)) + "\r\n", body));
  CHECK_NOTHROW(dynamodb::Client(right.config()).scan({.table = "orders"}));
}

TEST_CASE("what is no JSON, or no answer of DynamoDB, is refused") {
  for (const char* body :
       {"<html>", "{\"Items\":[{\"id\":{\"S\":5}}]}", "[]", "{\"Items\":[{\"id\":{\"Q\":\"\"}}]}"}) {
    const BadServer server(http("200 OK", "", body));
    CHECK(error_of(server.config()).name() == "InvalidResponse");
  }
}

TEST_CASE("an answer that says nothing is no empty page, and is asked for again") {
  for (const char* body :
       {"{}", R"({"Count":3,"ScannedCount":3})", R"({"Items":null})", R"({"Items":{}})",
        R"({"Items":[],"LastEvaluatedKey":null})", R"({"Items":[],"LastEvaluatedKey":[]})",
        R"({"Items":[],"LastEvaluatedKey":"id"})", R"({"Items":[],"LastEvaluatedKey":{"id":"o1"}})"}) {
    CAPTURE(body);
    const BadServer server(http("200 OK", "x-amzn-RequestId: REQ2\r\n", body));
    const dynamodb::Error error = error_of(server.config());
    CHECK(error.name() == "InvalidResponse");
    CHECK(error.kind() == evenkey::ErrorKind::transient);
    CHECK(error.request_id() == "REQ2");
    CHECK(server.requests() == 2);
    CHECK(name_of_error(server, [](const dynamodb::Client& client) {
            client.query({.table = "orders", .key_condition = "pk = :pk"});
          }) == "InvalidResponse");
  }
  // The end, by DynamoDB's own words: no key, or an empty one.
  for (const char* body : {R"({"Items":[]})", R"({"Items":[],"LastEvaluatedKey":{}})"}) {
    const BadServer server(http("200 OK", "", body));
    CHECK(dynamodb::Client(server.config()).scan({.table = "orders"}).last_evaluated_key.empty());
  }
}

TEST_CASE("a count is a number that was answered") {
  const auto count = [](const dynamodb::Client& client) {
    return client.query({.table = "orders", .key_condition = "pk = :pk", .select = dynamodb::Selected::count})
        .count;
  };
  for (const char* body : {"{}", R"({"Items":[]})", R"({"Count":null})", R"({"Count":"7"})",
                           R"({"Count":-7})", R"({"Count":7,"LastEvaluatedKey":null})"}) {
    CAPTURE(body);
    const BadServer server(http("200 OK", "", body));
    CHECK(name_of_error(server, count) == "InvalidResponse");
    CHECK(server.requests() == 2);
  }
  const BadServer server(http("200 OK", "", R"({"Count":7})"));
  CHECK(count(dynamodb::Client(server.config())) == 7);
}

TEST_CASE("rows that a batch says nothing of are not missing") {
  const std::vector<dynamodb::Item> keys{{{"id", "o1"}}, {{"id", "o2"}}};
  const auto once = [&](const dynamodb::Client& client) { return client.batch_get_once("orders", keys); };
  for (const char* body :
       {"{}", R"({"UnprocessedKeys":{}})", R"({"Responses":null})", R"({"Responses":{}})",
        R"({"Responses":{"others":[]},"UnprocessedKeys":{}})", R"({"Responses":{"orders":null}})",
        R"({"Responses":{"orders":{}}})", R"({"Responses":{"orders":[]},"UnprocessedKeys":null})",
        R"({"Responses":{"orders":[]},"UnprocessedKeys":{"orders":{}}})",
        R"({"Responses":{"orders":[]},"UnprocessedKeys":{"orders":{"Keys":null}}})",
        R"({"Responses":{},"UnprocessedKeys":{"orders":{"Keys":[{"id":{"S":"o1"}}]}}})"}) {
    CAPTURE(body);
    const BadServer server(http("200 OK", "", body));
    CHECK(name_of_error(server, once) == "InvalidResponse");
    CHECK(server.requests() == 2);
  }
  // What DynamoDB answers where there are none, and where it comes to none of the keys.
  const BadServer none(http("200 OK", "", R"({"Responses":{"orders":[]},"UnprocessedKeys":{}})"));
  CHECK(once(dynamodb::Client(none.config())).items.empty());
  const BadServer later(http("200 OK", "",
                             R"({"Responses":{},"UnprocessedKeys":{"orders":{"Keys":)"
                             R"([{"id":{"S":"o1"}},{"id":{"S":"o2"}}]}}})"));
  CHECK(once(dynamodb::Client(later.config())).unprocessed_keys == keys);
}

TEST_CASE("writes that a batch says nothing of are not done") {
  const auto write = [](const dynamodb::Client& client) { client.batch_write("orders", {{{"id", "o1"}}}); };
  for (const char* body : {"{}", R"({"UnprocessedItems":null})", R"({"UnprocessedItems":[]})"}) {
    CAPTURE(body);
    const BadServer server(http("200 OK", "", body));
    CHECK(name_of_error(server, write) == "InvalidResponse");
  }
  const BadServer done(http("200 OK", "", R"({"UnprocessedItems":{}})"));
  CHECK_NOTHROW(write(dynamodb::Client(done.config())));
}

TEST_CASE("an endpoint that nobody listens on is named") {
  dynamodb::Config config;
  {
    const BadServer server("x");
    config = server.config();
  }
  const auto error = error_of(config);
  CHECK(error.name() == "ConnectionFailed");
  CHECK(std::string_view(error.what()).find(config.endpoint) != std::string_view::npos);
}

TEST_CASE("throttling says why, and of what, and is asked again") {
  const BadServer server(http(
      "400 Bad Request", "x-amzn-RequestId: REQ1\r\n",
      R"({"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":"slow down",)"
      R"("ThrottlingReasons":[{"reason":"IndexReadKeyRangeThroughputExceeded","resource":"arn:x/index/by-type"}]})"));
  const auto error = error_of(server.config());
  CHECK(error.name() == "ThrottlingException");
  CHECK(error.kind() == evenkey::ErrorKind::throttled);
  CHECK(error.request_id() == "REQ1");
  REQUIRE(error.reasons().size() == 1);
  CHECK(evenkey::is_hot_key(error.reasons()));
  CHECK(server.requests() == 2);
}

TEST_CASE("a refusal of the credentials is not asked again") {
  const BadServer server(
      http("400 Bad Request", "",
           R"({"__type":"x#UnrecognizedClientException","Message":"the token is invalid"})"));
  const auto error = error_of(server.config());
  CHECK(error.name() == "UnrecognizedClientException");
  CHECK(server.requests() == 1);
}

TEST_CASE("a failed condition shows what was stored") {
  const BadServer server(http("400 Bad Request", "",
                              R"({"__type":"x#ConditionalCheckFailedException","message":"failed",)"
                              R"("Item":{"id":{"S":"o1"},"gsi_pk":{"S":"Order#3"}}})"));
  const auto error = error_of(server.config());
  CHECK(error.kind() == evenkey::ErrorKind::condition_failed);
  REQUIRE(error.stored().has_value());
  CHECK(dynamodb::text_of(*error.stored(), "gsi_pk") == "Order#3");
}

TEST_CASE("requests are signed, with the token of temporary credentials, and name their operation") {
  const BadServer server(http("200 OK", "", R"({"Items":[]})"));
  dynamodb::Client(server.config()).scan({.table = "orders"});
  const std::string& request = server.last_request();
  INFO(request);
  CHECK(request.find("X-Amz-Target: DynamoDB_20120810.Scan\r\n") != std::string::npos);
  CHECK(request.find("Content-Type: application/x-amz-json-1.0\r\n") != std::string::npos);
  CHECK(request.find("X-Amz-Security-Token: the-token\r\n") != std::string::npos);
  CHECK(request.find("Authorization: AWS4-HMAC-SHA256 Credential=the-access-key/") != std::string::npos);
  CHECK(request.find("/us-east-1/dynamodb/aws4_request") != std::string::npos);
  CHECK(request.find("the-secret") == std::string::npos);
}

TEST_CASE("a deadline and a stop end a request that hangs") {
  const BadServer server("");
  dynamodb::Config config = server.config();
  config.request_timeout = std::chrono::minutes(1);
  const dynamodb::Client client(config);
  const auto started = std::chrono::steady_clock::now();
  CHECK_THROWS_AS(
      client.scan({.table = "orders"}, {.deadline = started + std::chrono::milliseconds(50), .stop = {}}),
      dynamodb::Error);
  std::stop_source stop;
  std::thread stopper([&] {
    while (server.requests() < 2)
      std::this_thread::yield();
    stop.request_stop();
  });
  CHECK_THROWS_AS(client.scan({.table = "orders"}, {.deadline = {}, .stop = stop.get_token()}),
                  dynamodb::Error);
  stopper.join();
  CHECK(std::chrono::steady_clock::now() - started < std::chrono::seconds(50));
}

TEST_CASE("credentials, region and endpoint come from the environment, then from the profile") {
  const std::string folder = "/tmp/evenkey-profile-" + std::to_string(getpid());
  const std::string credentials = folder + "-credentials", profile = folder + "-config";
  std::ofstream(credentials) << "# a comment\n[default]\naws_access_key_id = AK1\n aws_ignored = x\n"
                                "[other]\naws_access_key_id=AK2\naws_secret_access_key = S2 \n";
  std::ofstream(profile) << "[default]\naws_secret_access_key = S1\nregion = eu-west-1\n"
                            "[profile other]\nregion=eu-west-2\nendpoint_url = http://localhost:1\n";
  std::map<std::string, std::string> variables{{"AWS_SHARED_CREDENTIALS_FILE", credentials},
                                               {"AWS_CONFIG_FILE", profile}};
  const auto environment = [&](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  const auto by_default = dynamodb::load_config(environment);
  CHECK(by_default.credentials.access_key_id == "AK1");
  CHECK(by_default.credentials.secret_access_key == "S1");
  CHECK(by_default.endpoint == "https://dynamodb.eu-west-1.amazonaws.com");
  variables["AWS_PROFILE"] = "other";
  const auto other = dynamodb::load_config(environment);
  CHECK(other.credentials.secret_access_key == "S2");
  CHECK(other.region == "eu-west-2");
  CHECK(other.endpoint == "http://localhost:1");
  variables["AWS_ACCESS_KEY_ID"] = "AK3";
  CHECK_THROWS_AS(dynamodb::load_config(environment), dynamodb::config_error);  // its secret is missing
  variables["AWS_SECRET_ACCESS_KEY"] = "S3";
  variables["AWS_REGION"] = "cn-north-1";
  variables["AWS_PROFILE"] = "nobody";
  CHECK(dynamodb::load_config(environment).endpoint == "https://dynamodb.cn-north-1.amazonaws.com.cn");
  for (const char* region : {"eu-central-1/", "user:word@eu-west-1", "eu central 1", "eu-west-1#"}) {
    variables["AWS_REGION"] = region;  // it would become part of a host's name
    CHECK_THROWS_WITH_AS(dynamodb::load_config(environment), doctest::Contains("the region is none"),
                         dynamodb::config_error);
  }
  unlink(credentials.c_str());
  unlink(profile.c_str());
}

TEST_SUITE_END();
