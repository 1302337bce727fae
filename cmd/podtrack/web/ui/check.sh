#!/bin/sh
# Builds the page from its sources as they are locked, and fails unless the result
# is the committed one, byte for byte, and small enough, and no import is circular.
set -eu
cd "$(dirname "$0")"
limit=81920 # bytes, of all files compressed: a page that is opened first needs a third of it
node circles.mjs
npm ci --no-audit --no-fund
npm run build
if [ -n "$(git status --porcelain -- ../dist)" ]; then
	echo "the committed page is not what its sources give; commit what npm run build has made:" >&2
	git status --short -- ../dist >&2
	exit 1
fi
size=$(cat ../dist/index.html ../dist/assets/* | gzip -9 -n | wc -c)
if [ "$size" -gt "$limit" ]; then
	echo "the page has $size bytes compressed, more than $limit" >&2
	exit 1
fi
echo "the committed page is what its sources give: $size bytes compressed"
