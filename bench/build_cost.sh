#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
set -euo pipefail

usage() {
  cat <<'END'
usage: bench/build_cost.sh [--json] [--repetitions N]

What evenkey costs its users' builds, in one table: the processor time that g++ and clang++ take (those that are there)
for its headers beside the standard headers that a program would include anyway, for one more index definition and one
more functor, for many shards, and the size of a small program. Each time is the median of N compilations (default 7),
the contenders by turns; those of whole programs of (N + 1) / 2. Nothing is cached. Takes about four minutes.

  --json   the same lines as JSON on stdout

exit codes: 0 done, 1 a target was missed, 2 usage
END
}

json=no repetitions=7
while (($#)); do
  case $1 in
    -h | --help) usage && exit ;;
    --json) json=yes ;;
    --repetitions) repetitions=${2:?} && shift ;;
    *) echo "bench/build_cost.sh: no option '$1'" >&2 && usage >&2 && exit 2 ;;
  esac
  shift
done

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export CCACHE_DISABLE=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# --- what is compiled

with_xxhash='#define XXH_INLINE_ALL
#include <xxhash.h>'
printf '#include <%s>\n' string vector optional functional >key_peer.cpp
# The standard headers of evenkey.hpp: the single header lists them at its top.
sed '/^\/\/ ----/q' "$root/single/evenkey-single.hpp" | grep '^#include <' >evenkey_peer.cpp
echo "$with_xxhash" | tee -a key_peer.cpp >>evenkey_peer.cpp
echo '#include <evenkey/key.hpp>' >key.cpp
echo '#include <evenkey/evenkey.hpp>' >evenkey.cpp
{ printf '#include <%s>\n' evenkey/read.hpp map string string_view && echo 'int main() {}'; } >read.cpp

# index NUMBER: an index definition as in the README
index() {
  cat <<END
struct Index$1 {
  static constexpr std::string_view name = "index-$1";
  using PartitionKey = evenkey::ShardedKey<"Order$1", evenkey::ShardPolicy<16>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
  using Item = Order;
  using StartKey = std::string;
  static std::string sort_key(const Order& order) { return SortKey::encode(order.customer, order.placed_at); }
  static std::string_view primary_key(const Order& order) { return order.id; }
  static std::string_view shard_by(const Order& order) { return order.customer; }
};
END
}

# calls INDEX FUNCTOR: one find and one listing, by a functor that no other call has
calls() {
  cat <<END
std::size_t read_$1_$2(const Store& store) {
  const auto query = [&store](const evenkey::QueryRequest<std::string>& request) {
    evenkey::Page<Order> page;
    if (const auto partition = store.find(request.partition_key); partition != store.end())
      for (const auto& [sort_key, order] : partition->second)
        if (request.sort_key.matches(sort_key)) page.items.push_back(order);
    return page;
  };
  return evenkey::find(Index$1{}, query, "ann").items.size() + evenkey::enumerate(Index$1{}, query).items.size();
}
END
}

# program FILE INDEXES FUNCTORS: that many definitions, each read by that many functors
program() {
  local i f
  {
    printf '#include <%s>\n' evenkey/read.hpp map string string_view
    echo 'struct Order { std::string id, customer, placed_at; };'
    echo 'using Store = std::map<std::string, std::map<std::string, Order>, std::less<>>;'
    for ((i = 0; i < $2; i++)); do
      index $i
      for ((f = 0; f < $3; f++)); do calls $i $f; done
    done
    echo 'int main(int argc, char**) { Store store; store[std::string(std::size_t(argc), 0)]; return int(read_0_0(store)); }'
  } >"$1"
}
program one.cpp 1 1
program three_indexes.cpp 3 1
program three_functors.cpp 1 3
{
  echo '#include <evenkey/index.hpp>'
  echo 'struct Order { std::string id, customer, placed_at; };'
} >no_definitions.cpp
cp no_definitions.cpp ten_definitions.cpp
for i in {0..9}; do
  index "$i"
  echo "static_assert(evenkey::index_by_id<Index$i>);"
done >>ten_definitions.cpp
# keys N: a program that stamps rows, and knows all N keys
keys() {
  cat <<END
#include <evenkey/key.hpp>
using Key = evenkey::ShardedKey<"RenewalSaga", evenkey::ShardPolicy<$1>>;
int main(int, char** arguments) { return Key::of(arguments[0])[0] + int(Key::all().size()); }
END
}
for n in 1 16 4096; do keys $n >keys_$n.cpp; done
echo 'int main(int, char** arguments) { return arguments[0][0]; }' >empty.cpp

# --- how it is measured

# milliseconds COMPILER FLAG... SOURCE: processor time of one compilation
milliseconds() {
  local TIMEFORMAT='%U %S' times
  times=$({ time "$1" -std=c++20 -I "$root/include" "${@:2}" -c -o object.o; } 2>&1) || { echo "$times" >&2 && exit 1; }
  awk '{ printf "%d\n", ($1 + $2) * 1000 }' <<<"$times"
}

# times COMPILER REPETITIONS SOURCE...: by turns, into the array `median`
declare -A median
times() {
  local compiler=$1 count=$2 turn source
  shift 2
  for source in "$@"; do : >"$source.times"; done
  for ((turn = 0; turn < count; turn++)); do
    for source in "$@"; do milliseconds "$compiler" "$source.cpp" >>"$source.times"; done
  done
  for source in "$@"; do median[$source]=$(sort -n "$source.times" | sed -n "$((count / 2 + 1))p"); done
}

lines=$work/lines
# line WHAT MEASURED UNIT TARGET BESIDE: fields as in bench/run.sh; a target is the most that it may be
line() {
  awk -v what="$1" -v measured="$2" -v unit="$3" -v target="$4" -v beside="$5" 'BEGIN {
    verdict = target == "-" ? "-" : measured <= target ? "ok" : "missed"
    printf "%s\t%s\t%s\t%s\t%s\t%s\n", what, measured, unit, target == "-" ? "-" : "<= " target, verdict, beside }' >>"$lines"
}
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }
each() { awk -v more="$1" -v less="$2" -v count="$3" 'BEGIN { printf "%.0f", (more - less) / count }'; }

# stripped COMPILER LEVEL SOURCE: bytes of code and constants of a stripped program
stripped() {
  "$1" -std=c++20 -I "$root/include" "$2" "$3.cpp" -pthread -s -o program
  size program | awk 'NR == 2 { print $1 }'
}

for compiler in g++ clang++; do
  command -v "$compiler" >/dev/null || continue
  version=$("$compiler" -dumpfullversion 2>/dev/null || "$compiler" -dumpversion)
  name="$compiler $version"
  times "$compiler" "$repetitions" key_peer key evenkey_peer evenkey no_definitions ten_definitions keys_1 keys_16 keys_4096
  times "$compiler" $(((repetitions + 1) / 2)) read one three_indexes three_functors
  line "$name: evenkey/key.hpp" "$(ratio "${median[key]}" "${median[key_peer]}")" x 1.3 \
    "<string> <vector> <optional> <functional>, xxHash"
  line "$name: evenkey/key.hpp" "${median[key]}" ms - "${median[key_peer]} ms"
  line "$name: evenkey/evenkey.hpp" "$(ratio "${median[evenkey]}" "${median[evenkey_peer]}")" x 1.4 \
    "the standard headers it uses, xxHash"
  line "$name: evenkey/evenkey.hpp" "${median[evenkey]}" ms - "${median[evenkey_peer]} ms"
  line "$name: an index definition, not read" "$(each "${median[ten_definitions]}" "${median[no_definitions]}" 10)" ms - ""
  line "$name: the first find and enumerate" "$(each "${median[one]}" "${median[read]}" 1)" ms - "read.hpp, <map>, <string> alone"
  line "$name: one more index, find and enumerate" "$(each "${median[three_indexes]}" "${median[one]}" 2)" ms - ""
  line "$name: one more functor, find and enumerate" "$(each "${median[three_functors]}" "${median[one]}" 2)" ms - ""
  line "$name: keys, N = 16" "$(each "${median[keys_16]}" "${median[keys_1]}" 1)" ms - "N = 1"
  line "$name: keys, N = 4096" "$(each "${median[keys_4096]}" "${median[keys_1]}" 1)" ms - "N = 1"
  for level in -Os -O2; do
    empty=$(stripped "$compiler" $level empty)
    line "$name $level: keys, N = 16, stripped" "$(each "$(stripped "$compiler" $level keys_16)" "$empty" 1024)" KiB - \
      "an empty main"
    line "$name $level: keys, N = 4096, stripped" "$(each "$(stripped "$compiler" $level keys_4096)" "$empty" 1024)" KiB - \
      "an empty main"
    line "$name $level: find and enumerate, stripped" "$(each "$(stripped "$compiler" $level one)" "$empty" 1024)" KiB - \
      "an empty main"
  done
done

if [[ $json == yes ]]; then
  awk -F'\t' '
    function text(s) { return s == "-" || s == "" ? "null" : "\"" s "\"" }
    BEGIN { print "[" }
    { if (NR > 1) print ","
      printf "  {\"what\": %s, \"measured\": %s, \"unit\": %s, \"target\": %s, \"verdict\": %s, \"beside\": %s}",
        text($1), $2, text($3), text($4), text($5), text($6) }
    END { print "\n]" }' "$lines"
else
  awk -F'\t' '
    BEGIN { print "| what | measured | target | | beside |"; print "|---|---|---|---|---|" }
    { gsub(/</, "\\&lt;", $6)
      printf "| %s | %s %s | %s | %s | %s |\n", $1, $2, $3, $4 == "-" ? "" : $4, $5 == "-" ? "" : $5, $6 }' "$lines"
fi
missed=$(awk -F'\t' '$5 == "missed"' "$lines" | wc -l)
printf '%s targets, %s missed\n' "$(awk -F'\t' '$5 != "-"' "$lines" | wc -l)" "$missed" >&2
((missed == 0))
