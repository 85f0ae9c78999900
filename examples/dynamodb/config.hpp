// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

namespace dynamodb {

/// Never printed, never part of an error.
struct Credentials {
  std::string access_key_id;
  std::string secret_access_key;
  std::string session_token = {};  // of temporary credentials
};

/// Where the table is, who asks, and how patiently.
struct Config {
  /// Such as `https://dynamodb.eu-central-1.amazonaws.com`.
  std::string endpoint;
  std::string region;
  Credentials credentials;
  std::chrono::milliseconds connect_timeout{2'000};
  /// Of one attempt.
  std::chrono::milliseconds request_timeout{10'000};
  /// How often a request is made at most, where it was throttled or the way failed.
  unsigned max_attempts = 4;
  /// The longest body of an answer that is taken: DynamoDB's longest is 16 MB of items (BatchGetItem), and JSON
  /// makes more of it. What is longer comes from something else, and could fill the memory.
  std::size_t max_answer_bytes = std::size_t{128} << 20U;
};

class config_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What an environment variable says; nothing where it is not set or empty.
using Environment = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> environment_variable(const char* name);

/// Region, credentials and endpoint from where AWS's own tools take them.
///
/// Order: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`; else the profile `AWS_PROFILE`
/// (or `default`) of `~/.aws/credentials`, then of `~/.aws/config` (or `AWS_SHARED_CREDENTIALS_FILE`,
/// `AWS_CONFIG_FILE`). Region: `AWS_REGION`, `AWS_DEFAULT_REGION`, the profile. Endpoint:
/// `AWS_ENDPOINT_URL_DYNAMODB`, `AWS_ENDPOINT_URL`, the profile's `endpoint_url`, AWS's own of the region.
/// What is not done: roles, single sign-on, instance metadata. Let AWS's command line put such credentials
/// into the environment: `eval "$(aws configure export-credentials --format env)"`.
/// Errors: neither region nor credentials found → `config_error` that says what to set.
Config load_config(const Environment& environment = environment_variable);

}  // namespace dynamodb
