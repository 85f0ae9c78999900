// SPDX-License-Identifier: BSL-1.0
#include "http.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <curl/curl.h>
#include <utility>

#include "error.hpp"

namespace dynamodb {

namespace {

using evenkey::ErrorKind;

constexpr std::array<std::uint32_t, 256> crc_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t rest = i;
    for (int bit = 0; bit < 8; ++bit)
      rest = (rest & 1U) != 0 ? rest >> 1U ^ 0xEDB88320U : rest >> 1U;
    table[i] = rest;
  }
  return table;
}();

struct Headers {
  std::string request_id;
  std::optional<std::uint32_t> crc;
};

/// The body so far, and how long it may become.
struct Body {
  std::string& text;
  std::size_t most;
  bool too_long = false;
};

std::size_t take_body(char* data, std::size_t, std::size_t size, void* to) noexcept {
  try {
    auto& body = *static_cast<Body*>(to);
    body.too_long = size > body.most - body.text.size();
    if (body.too_long) return 0;
    body.text.append(data, size);
    return size;
  } catch (...) {
    return 0;  // curl ends the request; an exception may not pass through it
  }
}

std::size_t take_header(char* data, std::size_t, std::size_t size, void* to) noexcept {
  try {
    std::string line(data, size);
    std::transform(line.begin(), line.end(), line.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    const auto colon = line.find(':');
    if (colon == std::string::npos) return size;
    const auto first = line.find_first_not_of(" \t", colon + 1);
    if (first == std::string::npos) return size;
    const auto last = line.find_last_not_of(" \t\r\n");
    auto& headers = *static_cast<Headers*>(to);
    const std::string_view name(line.data(), colon);
    if (name == "x-amzn-requestid") headers.request_id.assign(data + first, last - first + 1);
    if (name == "x-amz-crc32") {
      std::uint32_t crc = 0;
      const auto [end, error] = std::from_chars(line.data() + first, line.data() + last + 1, crc);
      if (error == std::errc() && end == line.data() + last + 1) headers.crc = crc;
    }
    return size;
  } catch (...) {
    return 0;
  }
}

int look_at_stop(void* stop, curl_off_t, curl_off_t, curl_off_t, curl_off_t) noexcept {
  return static_cast<const std::stop_token*>(stop)->stop_requested() ? 1 : 0;
}

[[noreturn]] void fail(const char* name, ErrorKind kind, const std::string& message,
                       std::string request_id = {}) {
  throw Error({.kind = kind, .name = name}, message, {.request_id = std::move(request_id)});
}

[[noreturn]] void fail(CURLcode code, const char* text, const Config& config) {
  const std::string message =
      config.endpoint + ": " + (*text != '\0' ? std::string(text) : std::string(curl_easy_strerror(code)));
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      fail("RequestTimeout", ErrorKind::transient, message);
    case CURLE_ABORTED_BY_CALLBACK:
      fail("Stopped", ErrorKind::fatal, config.endpoint + ": the request was stopped");
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
      fail("ConnectionFailed", ErrorKind::transient, message);
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
      fail("ConnectionLost", ErrorKind::transient, message);
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
      fail("TlsFailed", ErrorKind::fatal, message);
    default:
      fail("RequestFailed", ErrorKind::fatal, message);
  }
}

struct HeaderList {
  curl_slist* list = nullptr;

  HeaderList() = default;
  HeaderList(const HeaderList&) = delete;
  HeaderList& operator=(const HeaderList&) = delete;
  ~HeaderList() { curl_slist_free_all(list); }

  void add(const std::string& line) {
    curl_slist* longer = curl_slist_append(list, line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    list = longer;
  }
};

}  // namespace

std::uint32_t crc32(std::string_view bytes) noexcept {
  std::uint32_t rest = 0xFFFFFFFFU;
  for (const char byte : bytes)
    rest = crc_table[(rest ^ static_cast<unsigned char>(byte)) & 255U] ^ rest >> 8U;
  return ~rest;
}

struct Http::Handle {
  CURL* curl = curl_easy_init();

  Handle() {
    if (curl == nullptr) throw std::bad_alloc();
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { curl_easy_cleanup(curl); }
};

Http::Http(Config config) : config_(std::move(config)) {
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (initialised != CURLE_OK) throw config_error("libcurl cannot be initialised");
}

Http::~Http() = default;

std::unique_ptr<Http::Handle> Http::take() const {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Handle> handle = std::move(idle_.back());
      idle_.pop_back();
      return handle;
    }
  }
  return std::make_unique<Handle>();
}

HttpAnswer Http::post(std::string_view operation, const std::string& body, const CallOptions& options) const {
  using std::chrono::milliseconds;
  milliseconds timeout = config_.request_timeout;
  if (options.deadline)
    timeout = (std::min)(
        timeout, std::chrono::ceil<milliseconds>(*options.deadline - std::chrono::steady_clock::now()));
  if (timeout.count() <= 0) fail("RequestTimeout", ErrorKind::transient, "the deadline has passed");

  std::unique_ptr<Handle> handle = take();
  CURL* const curl = handle->curl;
  curl_easy_reset(curl);  // keeps the connection
  HeaderList lines;
  lines.add("Content-Type: application/x-amz-json-1.0");
  lines.add("X-Amz-Target: DynamoDB_20120810." + std::string(operation));
  if (!config_.credentials.session_token.empty())
    lines.add("X-Amz-Security-Token: " + config_.credentials.session_token);
  lines.add("Expect:");  // no waiting for a leave to send
  const std::string sigv4 = "aws:amz:" + config_.region + ":dynamodb";
  const std::string url = config_.endpoint.ends_with('/') ? config_.endpoint : config_.endpoint + "/";
  HttpAnswer answer;
  Body taken{answer.body, config_.max_answer_bytes};
  Headers headers;
  std::array<char, CURL_ERROR_SIZE> text{};
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_POST, 1L);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, lines.list);
  curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_AWS_SIGV4, sigv4.c_str());
  curl_easy_setopt(curl, CURLOPT_USERNAME, config_.credentials.access_key_id.c_str());
  curl_easy_setopt(curl, CURLOPT_PASSWORD, config_.credentials.secret_access_key.c_str());
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);  // time-outs by signals and threads do not go together
  curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(config_.connect_timeout.count()));
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout.count()));
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &take_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &taken);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &take_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &headers);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, text.data());
  if (options.stop.stop_possible()) {
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, &look_at_stop);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &options.stop);
  }
  const CURLcode code = curl_easy_perform(curl);
  if (taken.too_long)
    fail("AnswerTooLong", ErrorKind::fatal,
         config_.endpoint + ": the answer is longer than " + std::to_string(taken.most) +
             " bytes; is this DynamoDB?");
  if (code != CURLE_OK) fail(code, text.data(), config_);  // the handle goes with it, and its connection

  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, nullptr);
  {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(handle));
  }
  if (headers.crc && *headers.crc != crc32(answer.body))
    fail("ChecksumMismatch", ErrorKind::transient,
         config_.endpoint + ": the answer does not have the checksum that its x-amz-crc32 names",
         headers.request_id);
  answer.status = static_cast<int>(status);
  answer.request_id = std::move(headers.request_id);
  return answer;
}

}  // namespace dynamodb
