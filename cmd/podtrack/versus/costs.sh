#!/usr/bin/env bash
# Measures every number of podtrack help performance, and prints them in the order of its text.
#   costs.sh [-n COUNT] [FILE]
# COUNT is how often each is measured (default 3), FILE what the benchmarks print (default costs.txt beside this script,
# of which the topic has the tables). It takes half an hour on an idle machine, and 6 GB of memory.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

count=3
while getopts n: flag; do
  case $flag in
    n) count=$OPTARG ;;
    *) sed -n '2,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2 && exit 2 ;;
  esac
done
shift $((OPTIND - 1))
file=$(realpath "${1:-$here/costs.txt}")
work=$(mktemp -d "${TMPDIR:-/tmp}/costs.XXXXXX")
trap 'rm -rf "$work"' EXIT
export OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1
python=
for candidate in ${PYTHON:-python3 /usr/bin/python3}; do
  if "$candidate" -c 'import scipy' 2>/dev/null; then python=$candidate && break; fi
done
[ -n "$python" ] || { echo "costs: no Python with scipy; install it, or name it in PYTHON" >&2 && exit 2; }
export PYTHON=$python

medians() { "$python" "$here/medians.py" "$file" "$@"; }

section() { printf '\n== %s\n' "$1"; }

failed= # what the others measured is printed all the same
"$here/bench.sh" -n "$count" "$file" >&2 || failed=yes
PODTRACK_LONG_TESTS=1 "$here/bench.sh" -n 1 -f 'Commands/of=run/store=open-100|SparseStore' "$work/long" >&2 || failed=yes
grep -hE '^(Benchmark|[a-z]+: )' "$file" "$work/long" >"$work/costs"
mv "$work/costs" "$file"

grep -m 1 'model name' /proc/cpuinfo || true
section "How fast it is"
"$here/versus.sh" -n "$count" -p
section "The limit"
medians Roofline Replay
section "Time by size"
"$python" "$here/growth.py" "$file"
section "What commands take"
"$python" "$here/commands.py" "$file"
medians Start
section "Many features"
"$python" "$here/square.py" "$file" 256 1024 2048
medians TopDirections/states=16384 FiftyDirections/states=16384
"$python" "$here/top.py" 7 | tail -1
"$python" "$here/top.py" 50 | tail -1
section "Many options"
medians Collect Steps table/options
section "Large observations"
medians LargeObservations
section "Disk"
medians Retention/keep=all/runs=800 Retention/keep=transitions/runs=800 Retention/keep=none/runs=800
section "Large stores"
medians SparseStore Merge TinyRuns/runs=8000
[ -z "$failed" ] || { echo "costs: a benchmark failed, see above" >&2 && exit 1; }
