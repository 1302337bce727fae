#!/usr/bin/env bash
# Runs Table 1 in podtrack, numpy and C, checks that they computed the same, and
# prints what each took. See README.md.
set -euo pipefail
shopt -s inherit_errexit
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

usage() {
  cat <<'END'
usage: versus.sh [-n N] [-r RUNS] [-c CORES] [-p]
  -n N      repetitions of each program (default 3)
  -r RUNS   seeds 0 to RUNS-1 in each of the four settings (default 30, the paper's)
  -c CORES  what podtrack and C -j may use (default 2)
  -p        compare the bytes of everything recorded too; takes a while
It needs gcc, go, and Python with numpy ($PYTHON, else python3). Everything is built
and stored in a folder under $TMPDIR, else /tmp, which is removed.
END
  exit "$1"
}

fail() {
  printf 'versus: %s\n' "$1" >&2
  exit 2
}

repetitions=3 runs=30 cores=2 payload=
while getopts n:r:c:ph flag; do
  case $flag in
    n) repetitions=$OPTARG ;;
    r) runs=$OPTARG ;;
    c) cores=$OPTARG ;;
    p) payload=yes ;;
    h) usage 0 ;;
    *) usage 2 >&2 ;;
  esac
done
[ "$OPTIND" -gt "$#" ] || usage 2 >&2
for number in "$repetitions" "$runs" "$cores"; do
  [[ $number =~ ^[1-9][0-9]{0,4}$ ]] || fail "$number is not a whole number from 1 to 99999"
done

python=
for candidate in ${PYTHON:-python3 /usr/bin/python3}; do
  if "$candidate" -c 'import numpy' 2>/dev/null; then python=$candidate && break; fi
done
[ -n "$python" ] || fail "no Python with numpy; install it, or name it in PYTHON"
for tool in gcc go; do
  command -v "$tool" >/dev/null || fail "$tool is not on PATH"
done

work=$(mktemp -d "${TMPDIR:-/tmp}/versus.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
# numpy's matrices are too small for two threads: the second one only waits, in a loop.
export GOMAXPROCS=$cores OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1

build() {
  (cd "$here/../../.." && go build -o "$work/podtrack" ./cmd/podtrack)
  gcc -O3 -march=native -o "$work/pod" "$here/pod.c" -lm -lpthread
  gcc -O2 -o "$work/measure" "$here/measure.c"
}

reproduce() { # STORE PARALLEL: the words of podtrack's command
  command=("$work/podtrack" reproduce table1 --runs "$runs" --parallel "$2" --store "$1")
}

agree() {
  "$python" "$here/agree.py" "$1" "$work/podtrack.csv" "$work/$2.csv" && return
  echo "versus: the results differ, so nothing is timed" >&2
  exit 1
}

check() {
  reproduce "$work/podtrack.db" "$cores"
  "${command[@]}" >"$work/out" 2>"$work/log" || fail "podtrack: $(cat "$work/log")"
  "$work/podtrack" export bits=12 --store "$work/podtrack.db" --format csv -o "$work/measures.csv"
  "$work/podtrack" export bits=12 --store "$work/podtrack.db" --only value,policy -o "$work/arrays.npz"
  "$python" "$here/lines.py" "$work/measures.csv" "$work/arrays.npz" >"$work/podtrack.csv"
  rm "$work/arrays.npz"
  "$work/pod" --runs "$runs" >"$work/c.csv"
  "$work/pod" --runs "$runs" --table >"$work/table.csv"
  "$python" "$here/pod_numpy.py" --runs "$runs" --profile "$work/profile" >"$work/numpy.csv"

  echo "== the same results as podtrack's"
  echo "C:" && agree parting c
  echo "C, successors looked up:" && agree parting table
  echo "numpy, LAPACK's decomposition:" && agree parting numpy
  echo "  its seconds by stage:" $(cat "$work/profile")
  if [ "$runs" -ge 10 ]; then
    "$python" "$here/pod_numpy.py" --runs "$runs" --rng numpy >"$work/means.csv"
    echo "numpy, its own random numbers:" && agree means means
  fi
}

once() { # LABEL COMMAND…
  "$work/measure" "$work/times" "$@" >/dev/null 2>"$work/log" || fail "$1: $(cat "$work/log")"
}

repeat() {
  for _ in $(seq "$repetitions"); do
    for parallel in "$cores" 1; do
      reproduce "$work/fresh.db" "$parallel"
      once "podtrack, everything recorded, $parallel at once" "${command[@]}"
      rm -f "$work/fresh.db"
    done
    once "numpy" "$python" "$here/pod_numpy.py" --runs "$runs"
    once "C -j 1" "$work/pod" --runs "$runs"
    once "C -j $cores" "$work/pod" --runs "$runs" -j "$cores"
    once "C -j 1, successors looked up" "$work/pod" --runs "$runs" --table
    once "C -j $cores, successors looked up" "$work/pod" --runs "$runs" --table -j "$cores"
  done
}

weigh() {
  "$python" "$here/pod_numpy.py" --runs "$runs" --save "$work/saved" >/dev/null
  "$work/podtrack" check --store "$work/podtrack.db" --json >"$work/check.json"
  "$work/podtrack" compact --store "$work/podtrack.db" >/dev/null 2>&1
  "$python" "$here/bytes.py" "$work/check.json" "$work/podtrack.db" "$work/saved"
}

build
check
echo
echo "== what they took: $runs runs a setting, $(uname -sm), $cores of $(getconf _NPROCESSORS_ONLN) cores, store on $(stat -f -c %T "$work" 2>/dev/null || echo disk)"
repeat
"$python" "$here/table.py" "$work/times"
if [ -n "$payload" ]; then
  echo
  echo "== bytes of everything recorded"
  weigh
fi
