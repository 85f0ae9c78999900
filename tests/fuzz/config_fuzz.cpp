// SPDX-License-Identifier: BSL-1.0
//
// Profile files: any bytes end in a configuration that can be used, or in a `config_error` that tells no secret.
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

#include "config.hpp"
#include "fuzz/fuzz.hpp"

namespace {

/// A file in memory, under a path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)) {
    fuzz::require(descriptor_ >= 0, "there is a file in memory");
    fuzz::require(write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
                  "it takes what is written");
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::string profile = input.below(2) == 0 ? std::string() : std::string(input.text());
  const std::string_view credentials = input.text(input.byte() * 4);
  const MemoryFile credentials_file(credentials);
  const MemoryFile config_file(input.rest());
  const fuzz::LinearMemory linear(size, 256, 2 * BUFSIZ);  // the standard library's buffer of each file
  const dynamodb::Environment environment = [&](std::string_view name) -> std::optional<std::string> {
    if (name == "AWS_SHARED_CREDENTIALS_FILE") return credentials_file.path();
    if (name == "AWS_CONFIG_FILE") return config_file.path();
    if (name == "AWS_PROFILE" && !profile.empty()) return profile;
    return std::nullopt;
  };
  try {
    const dynamodb::Config config = dynamodb::load_config(environment);
    fuzz::require(!config.region.empty() && !config.endpoint.empty(), "a configuration names a place");
    fuzz::require(!config.credentials.access_key_id.empty() && !config.credentials.secret_access_key.empty(),
                  "a configuration has credentials");
    // They go into headers of a request: a line end would begin another header.
    for (const std::string* text : {&config.region, &config.credentials.access_key_id,
                                    &config.credentials.secret_access_key, &config.credentials.session_token})
      fuzz::require(text->find('\n') == std::string::npos, "no value has a line end");
  } catch (const dynamodb::config_error& error) {
    const std::string_view what = error.what();
    fuzz::require(what.find("no credentials") == 0 || what.find("no region") == 0 ||
                      what.find("the region is none") == 0 ||
                      what.find("the endpoint URL holds a name or a password") == 0,
                  "the error says what is missing or wrong");
  }
  return 0;
}
