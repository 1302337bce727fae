#!/bin/sh
# Builds the page from its sources as they are locked. Fails unless the result is the
# committed one, byte for byte, its scripts are small enough, and no import is circular.
set -eu
cd "$(dirname "$0")"
limit=81920 # bytes, of the scripts compressed by gzip -9: the list of runs needs a third of them
node circles.mjs
npm ci --no-audit --no-fund
npm run build
if [ -n "$(git status --porcelain -- ../dist)" ]; then
	echo "the committed page is not what its sources give; commit what npm run build has made:" >&2
	git status --short -- ../dist >&2
	exit 1
fi
size=$(cat ../dist/assets/*.js | gzip -9 -n | wc -c)
if [ "$size" -gt "$limit" ]; then
	echo "the scripts of the page have $size bytes compressed, more than $limit" >&2
	exit 1
fi
echo "the committed page is what its sources give; its scripts have $size bytes compressed, of at most $limit"
