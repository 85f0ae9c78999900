// SPDX-License-Identifier: BSL-1.0
#include "config.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string_view>

namespace dynamodb {

namespace {

using Section = std::map<std::string, std::string>;

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

/// Adds what a file says of a profile; what is there already stays.
void read_profile(const std::string& path, const std::string& profile, Section& section) {
  std::ifstream file(path);
  bool ours = false;
  for (std::string line; std::getline(file, line);) {
    const bool nested = line.starts_with(' ') || line.starts_with('\t');  // of a sub-section: not ours
    const std::string text = trimmed(line);
    if (text.empty() || text[0] == '#' || text[0] == ';') continue;
    if (text[0] == '[') {
      std::string name = trimmed(std::string_view(text).substr(1, text.find(']') - 1));
      if (name.starts_with("profile ")) name = trimmed(std::string_view(name).substr(8));
      ours = name == profile;
    } else if (const auto equals = text.find('='); ours && !nested && equals != std::string::npos) {
      section.emplace(trimmed(std::string_view(text).substr(0, equals)),
                      trimmed(std::string_view(text).substr(equals + 1)));
    }
  }
}

}  // namespace

std::optional<std::string> environment_variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

Config load_config(const Environment& environment) {
  const std::string home = environment("HOME").value_or("");
  const std::string profile = environment("AWS_PROFILE").value_or("default");
  Section section;
  read_profile(environment("AWS_SHARED_CREDENTIALS_FILE").value_or(home + "/.aws/credentials"), profile,
               section);
  read_profile(environment("AWS_CONFIG_FILE").value_or(home + "/.aws/config"), profile, section);

  Config config;
  const auto first_of = [&](std::initializer_list<const char*> variables, const char* setting) {
    for (const char* variable : variables)
      if (std::optional<std::string> value = environment(variable)) return *value;
    const auto found = section.find(setting);
    return found == section.end() ? std::string() : found->second;
  };
  if (const auto key = environment("AWS_ACCESS_KEY_ID")) {
    // All from one place: a profile's token does not belong to another key.
    config.credentials = {*key, environment("AWS_SECRET_ACCESS_KEY").value_or(""),
                          environment("AWS_SESSION_TOKEN").value_or("")};
  } else {
    config.credentials = {section["aws_access_key_id"], section["aws_secret_access_key"],
                          section["aws_session_token"]};
  }
  if (config.credentials.access_key_id.empty() || config.credentials.secret_access_key.empty())
    throw config_error(
        "no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or put them under [" + profile +
        "] in ~/.aws/credentials");
  config.region = first_of({"AWS_REGION", "AWS_DEFAULT_REGION"}, "region");
  if (config.region.empty())
    throw config_error("no region: set AWS_REGION, or region under [" + profile + "] in ~/.aws/config");
  if (!std::all_of(config.region.begin(), config.region.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
      }))  // it becomes part of a host's name
    throw config_error(
        "the region is none, since it has characters other than letters, digits and '-': set AWS_REGION, or "
        "region under [" +
        profile + "] in ~/.aws/config, to one such as eu-central-1");
  config.endpoint = first_of({"AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"}, "endpoint_url");
  if (config.endpoint.empty())
    config.endpoint = "https://dynamodb." + config.region +
                      (config.region.starts_with("cn-") ? ".amazonaws.com.cn" : ".amazonaws.com");
  if (config.endpoint.find('@') != std::string::npos)  // errors name the endpoint
    throw config_error(
        "the endpoint URL holds a name or a password, which is never looked at: take it out, and set "
        "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  return config;
}

}  // namespace dynamodb
