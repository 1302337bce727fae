#!/usr/bin/env bash
# Runs every benchmark of the tree into one file that benchstat reads.
#   bench.sh [-n COUNT] [-f PATTERN] [FILE]
# COUNT is how often each runs (default 6, which benchstat wants at least), for 0.1 s at least,
# PATTERN which of them (default all), FILE where to (default bench.txt).
# Compare two with: go run golang.org/x/perf/cmd/benchstat@latest old.txt new.txt
set -euo pipefail

usage() {
  sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
  exit 2
}

count=6 pattern=.
while getopts n:f: flag; do
  case $flag in
    n) count=$OPTARG ;;
    f) pattern=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ "$#" -le 1 ] && [[ $count =~ ^[1-9][0-9]*$ ]] || usage
file=$(realpath "${1:-bench.txt}")

cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
go test -run '^$' -bench "$pattern" -benchtime 0.1s -count "$count" -timeout 0 -p 1 ./pod/... ./tracker/... \
  ./replay/... ./cmd/podtrack/internal/e2e/commands | tee "$file"
