// SPDX-License-Identifier: BSL-1.0
#pragma once

/// How one value becomes part of a key's text, and back: `Text`, `EscapedText`, `Number`, `SignedNumber`,
/// `Timestamp`, `Literal`; and `key_error`, for a value that cannot.
#include <evenkey/fields/field_list.hpp>
#include <evenkey/fields/fixed_string.hpp>
#include <evenkey/fields/key_error.hpp>
#include <evenkey/fields/key_field.hpp>
#include <evenkey/fields/number.hpp>
#include <evenkey/fields/text.hpp>
#include <evenkey/fields/timestamp.hpp>
#include <evenkey/fields/utf8.hpp>
