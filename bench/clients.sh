#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
set -euo pipefail

usage() {
  cat <<'END'
usage: bench/clients.sh [--rounds N]

What a listing costs the client: processor time per row, user's and system's, of 10,000 rows on 16 shards, read by
evenkey over the wire client of examples/dynamodb, by boto3 and by AWS's SDK for JavaScript. One server (dynalite), one
run, the same rows in the same order. Installs what is missing, builds the program (preset release), prints one table.
Wall times are not compared: the server is one thread, and most of the time is its own.

  --rounds N   list N times in each process, 12 if not said; the first is a column of its own. For example
                 bench/clients.sh --rounds 30

exit codes: 0 done, 1 something failed or the clients found different rows, 2 usage
END
}

rounds=12
while (($#)); do
  case $1 in
    -h | --help) usage && exit ;;
    --rounds)
      [[ ${2:-} =~ ^([2-9]|[1-9][0-9]{1,3})$ ]] || { echo "bench/clients.sh: --rounds needs a number, 2 to 9999" >&2 && exit 2; }
      rounds=$2 && shift 2
      ;;
    *) echo "bench/clients.sh: no option '$1'" >&2 && usage >&2 && exit 2 ;;
  esac
done

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
place=$root/build/clients
mkdir -p "$place/js" "$place/rows"
table=clients-$$
export AWS_ACCESS_KEY_ID=bench AWS_SECRET_ACCESS_KEY=bench AWS_REGION=us-east-1
unset AWS_SESSION_TOKEN AWS_PROFILE AWS_ENDPOINT_URL_DYNAMODB

{
  printf '== dependencies\n'
  bash cmake/install-deps.sh build examples bench python javascript
  python=python3
  python3 -c 'import ensurepip' 2>/dev/null || python=/usr/bin/python3
  [[ -x $place/venv/bin/python ]] || "$python" -m venv "$place/venv"
  "$place/venv/bin/python" -c 'import boto3, xxhash' 2>/dev/null ||
    "$place/venv/bin/pip" install -q --disable-pip-version-check boto3 xxhash
  [[ -e $place/js/node_modules/dynalite && -e $place/js/node_modules/@aws-sdk/client-dynamodb ]] ||
    npm install --prefix "$place/js" --no-audit --no-fund --loglevel=error dynalite@4 @aws-sdk/client-dynamodb@3
  cp bench/clients/list_rows.mjs "$place/js"
  tests/languages/documented.sh python >"$place/shard.py"
  printf '== build\n'
  cmake --preset release --log-level=WARNING >/dev/null
  cmake --build --preset release --target list_rows
} >&2

server=
trap '[[ -z $server ]] || kill "$server"' EXIT
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
node "$place/js/node_modules/dynalite/cli.js" --host 127.0.0.1 --port "$port" --createTableMs 0 >"$place/server.log" 2>&1 &
server=$!
for ((tries = 0; tries < 100; ++tries)); do
  (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
  sleep 0.1
done
export AWS_ENDPOINT_URL=http://127.0.0.1:$port PYTHONPATH=$place
printf '== fill a table\n' >&2
"$place/venv/bin/python" bench/clients/list_rows.py fill "$table"

measure() {
  printf '== run %s\n' "$1" >&2
  "${@:2}" "$table" "$rounds" "$place/rows/$1" >"$place/$1.json"
  [[ $(wc -l <"$place/rows/$1") == 10000 ]] && cmp "$place/rows/threads" "$place/rows/$1" >&2
}
for driver in threads pool callback; do measure $driver build/release/bin/list_rows $driver; done
measure javascript node "$place/js/list_rows.mjs"
measure boto3 "$place/venv/bin/python" bench/clients/list_rows.py list

"$place/venv/bin/python" - "$place"/{threads,pool,callback,javascript,boto3}.json <<'END'
import json
import sys

print("| client | start, ms | first listing, µs a row | later ones, µs a row |\n|---|---|---|---|")
for name in sys.argv[1:]:
    with open(name) as file:
        measured = json.load(file)
    start, first, *later = measured["micros"]
    print("| %s | %.0f | %.2f | %.2f |" % (measured["client"], start / 1e3, first / 1e4, min(later) / 1e4))
END
