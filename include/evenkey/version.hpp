// SPDX-License-Identifier: BSL-1.0
#pragma once

/// The version of evenkey, by semantic versioning. This is its one place: CMake, pkg-config and the packages
/// read these three lines. Bytes that evenkey stores (keys, tokens) change only with the major version.
#define EVENKEY_VERSION_MAJOR 0
#define EVENKEY_VERSION_MINOR 1
#define EVENKEY_VERSION_PATCH 0

/// The version as one number, for `#if`: 0.1.0 is 100, 1.2.3 is 10203.
#define EVENKEY_VERSION (EVENKEY_VERSION_MAJOR * 10000 + EVENKEY_VERSION_MINOR * 100 + EVENKEY_VERSION_PATCH)

#define EVENKEY_DETAIL_TEXT_OF(token) #token
#define EVENKEY_DETAIL_VERSION_TEXT(major_, minor_, patch_) \
  EVENKEY_DETAIL_TEXT_OF(major_) "." EVENKEY_DETAIL_TEXT_OF(minor_) "." EVENKEY_DETAIL_TEXT_OF(patch_)

namespace evenkey {

/// The version as text, such as `0.1.0`, for logs and bug reports.
inline constexpr char version_string[] =
    EVENKEY_DETAIL_VERSION_TEXT(EVENKEY_VERSION_MAJOR, EVENKEY_VERSION_MINOR, EVENKEY_VERSION_PATCH);

}  // namespace evenkey

#undef EVENKEY_DETAIL_VERSION_TEXT
#undef EVENKEY_DETAIL_TEXT_OF
