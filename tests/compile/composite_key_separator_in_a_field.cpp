// SPDX-License-Identifier: BSL-1.0
// A Timestamp has ':' in its text, so it could not be told where it ends.
// expect: a field's own text can contain the separator
#include <evenkey/composite_key.hpp>

#ifdef EVENKEY_REJECT
using Key = evenkey::BasicCompositeKey<':', evenkey::Text, evenkey::Timestamp>;
#else
using Key = evenkey::BasicCompositeKey<'|', evenkey::Text, evenkey::Timestamp>;
#endif

static_assert(!Key::decode("p1"));
