#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
#
# The wire client and evenkey against two servers of DynamoDB's protocol that others wrote: dynalite and moto. Installs
# them into build/servers (node and npm by apt where they are missing), starts them on free ports of 127.0.0.1, runs the
# suite, the tool's script and AWS's SDKs for Python and JavaScript against both, and stops them, whatever happens. Ends
# with `N passed, N failed`.
# usage: tests/servers/run.sh [dynalite] [moto]      both by default
#        PRESET=debug tests/servers/run.sh           another build than `release`
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit
root=$PWD
place=$root/build/servers
preset=${PRESET:-release}
declare -A version=([dynalite]=4 [moto]=5)

case ${1:-} in -h | --help) sed -n '4,9s/^# *//p' "${BASH_SOURCE[0]}" && exit ;; esac
servers=("$@")
((${#servers[@]})) || servers=(dynalite moto)

# What these servers lack of the service, so that nobody takes a green run for more than it is.
lacks() {
  case $1 in
    dynalite)
      cat <<'END'
  not shown by dynalite: ALL_OLD of a failed condition (the mover reads instead), transactions, signatures, throttling,
  index lag and index write units, keys of several attributes, refusal of index keys that are empty or too long; bounds
  and start keys from U+E000 to U+FFFF beside others beyond U+FFFF (it compares them as UTF-16)
END
      ;;
    moto)
      cat <<'END'
  not shown by moto: signatures, throttling, index lag and index write units, keys of several attributes, requests side by
  side (by itself it makes pages of several moments, so it is given one request at a time)
END
      ;;
  esac
}

fail() {
  echo "$*"
  echo "0 passed, 1 failed"
  exit 1
}

install_server() {
  case $1 in
    dynalite)
      [[ -e $place/dynalite/node_modules/dynalite/package.json ]] && return
      bash cmake/install-deps.sh javascript && mkdir -p "$place/dynalite" &&
        npm install --prefix "$place/dynalite" --no-audit --no-fund --loglevel=error "dynalite@${version[dynalite]}"
      ;;
    moto)
      [[ -x $place/moto/bin/moto_server ]] && return
      bash cmake/install-deps.sh python || return
      local python=python3
      # Where another Python stands before the system's, it may be too old or without venv.
      /usr/bin/python3 -c 'import ensurepip' 2>/dev/null && python=/usr/bin/python3
      "$python" -m venv "$place/moto" &&
        "$place/moto/bin/pip" install -q --disable-pip-version-check "moto[server]~=${version[moto]}.0"
      ;;
    *) return 1 ;;
  esac
}

# AWS's SDKs for Python, which moto brings along, and for JavaScript, each with the documentation's shard function and the
# reader that joins a migration.
install_sdks() {
  local js=$place/sdk-js
  install_server moto && mkdir -p "$place/sdk-python" "$js" || return
  "$place/moto/bin/python" -c 'import xxhash' 2>/dev/null ||
    "$place/moto/bin/pip" install -q --disable-pip-version-check xxhash || return
  bash cmake/install-deps.sh javascript || return
  [[ -e $js/node_modules/@aws-sdk/client-dynamodb/package.json ]] ||
    npm install --prefix "$js" --no-audit --no-fund --loglevel=error @aws-sdk/client-dynamodb@3 @node-rs/xxhash@1 ||
    return
  cp tests/languages/python/migration.py "$place/sdk-python" &&
    cp tests/languages/javascript/migration.mjs tests/servers/sdk_rows.mjs "$js" &&
    tests/languages/documented.sh python >"$place/sdk-python/shard.py" &&
    tests/languages/documented.sh javascript >"$js/shard.mjs"
}
compare_sdks() {
  PYTHONPATH=$place/sdk-python "$place/moto/bin/python" tests/servers/sdk_test.py "$root/build/$preset/bin/evenkey" \
    "$place/sdk-js/sdk_rows.mjs"
}

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

pid=  # of a server, in the subshell that started it
stop_server() {
  [[ -n $pid ]] || return 0
  kill "$pid" 2>/dev/null
  wait "$pid" 2>/dev/null
  pid=
}
running=()  # the servers, and the process groups that check them
stop_checks() {
  local one
  for one in "${running[@]}"; do kill -- "-${one#*:}" 2>/dev/null; done
  wait
}
trap 'stop_checks; exit 130' INT TERM

# Starts a server and waits until it takes connections; sets pid and port.
start_server() {
  port=$(free_port) || return
  case $1 in
    dynalite)
      node "$place/dynalite/node_modules/dynalite/cli.js" --host 127.0.0.1 --port "$port" --createTableMs 0 \
        --deleteTableMs 0 >"$place/$1.log" 2>&1 &
      ;;
    moto) "$place/moto/bin/python" tests/servers/moto_one_at_a_time.py "$port" >"$place/$1.log" 2>&1 & ;;
  esac
  pid=$!
  local tries
  for ((tries = 0; tries < 300; ++tries)); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && return
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  echo "$1 does not take connections; the end of its log:"
  tail -5 "$place/$1.log"
  return 1
}

mkdir -p "$place"
bash cmake/install-deps.sh build examples tests || fail "what the build needs is missing"
build() {
  cmake --preset "$preset" --log-level=WARNING && cmake --build --preset "$preset" --target servers_suite evenkey-cli
}
if ! build >"$place/build.log" 2>&1; then
  tail -40 "$place/build.log"
  fail "the suite does not compile"
fi

export AWS_ACCESS_KEY_ID=tests AWS_SECRET_ACCESS_KEY=tests AWS_REGION=us-east-1
unset AWS_SESSION_TOKEN AWS_PROFILE AWS_ENDPOINT_URL_DYNAMODB
# check WHAT COMMAND...: a line that says whether it passed
check() {
  if "${@:2}"; then echo "ok    $1"; else
    echo "FAIL  $1"
    return 1
  fi
}
passed=0 failed=0
count() {
  if check "$@"; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    return 1
  fi
}

count "the tool's options in the documents" .ci/check-snippets --options evenkey="$root/build/$preset/bin/evenkey"
count "the tool without a table" python3 tests/servers/tool_plan_test.py "$root/build/$preset/bin/evenkey"
count "the tool and bad servers" python3 tests/servers/tool_bad_server_test.py "$root/build/$preset/bin/evenkey"
count "bad servers" "$root/build/$preset/bin/servers_suite" --test-suite="bad servers" --no-version --minimal

# All that runs against one server, which lives as long as the subshell.
check_server() (
  trap stop_server EXIT
  trap 'exit 130' INT TERM
  check "$1: it starts" start_server "$1" || exit 1
  export EVENKEY_SERVER=$1 AWS_ENDPOINT_URL=http://127.0.0.1:$port
  for suite in client conditions reads hydrate restamp migration layouts; do
    check "$1: $suite" "$root/build/$preset/bin/servers_suite" --test-suite="$suite" --no-version --minimal
  done
  check "$1: evenkey, the tool" python3 tests/servers/tool_test.py "$root/build/$preset/bin/evenkey"
  check "$1: boto3 and AWS's SDK for JavaScript, beside the tool" compare_sdks
  lacks "$1"
)

# Side by side: each leaves a core idle most of the time.
count "AWS's SDKs are installed" install_sdks
set -m # each has a process group, which ends as a whole
for server in "${servers[@]}"; do
  count "$server is installed" install_server "$server" || continue
  check_server "$server" >"$place/$server.checks" 2>&1 &
  running+=("$server:$!")
done
for one in "${running[@]}"; do
  wait "${one#*:}"
  checks=$place/${one%:*}.checks
  cat "$checks"
  passed=$((passed + $(grep -c '^ok    ' "$checks"))) failed=$((failed + $(grep -c '^FAIL  ' "$checks")))
  grep -q '^  not shown by ' "$checks" || count "${one%:*} was checked to the end" false
done

echo "$passed passed, $failed failed"
((failed == 0))
