// SPDX-License-Identifier: BSL-1.0
// The views of keys made in passing would point into a list that is gone.
// expect: deleted (member )?function [^a-z]+(void evenkey::detail::ListedKeys<KeyPolicy>::)?all
// expect: deleted (member )?function [^a-z]+(void evenkey::detail::ListedKeys<KeyPolicy>::)?of
// expect: deleted (member )?function [^a-z]+(void evenkey::detail::ListedKeys<KeyPolicy>::)?layout
#include <evenkey/key.hpp>

using evenkey::DynamicShardedKey;

#ifdef EVENKEY_REJECT
auto all() { return DynamicShardedKey("OUTBOX", 3).all()[0]; }
auto of() { return DynamicShardedKey("OUTBOX", 3).of("person-42"); }
auto layout() { return DynamicShardedKey("OUTBOX", 3).layout(); }
#else
const DynamicShardedKey keys("OUTBOX", 3);
auto all() { return keys.all()[0]; }
auto of() { return keys.of("person-42"); }
auto layout() { return keys.layout(); }
auto size() { return DynamicShardedKey("OUTBOX", 3).size(); }
#endif
