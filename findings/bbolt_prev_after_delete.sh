#!/usr/bin/env bash
# bbolt v1.5.0: Cursor.Prev stops at a leaf that the same transaction has emptied, as if the bucket began there.
#
# Keys 0000 to 0999 are committed; a later transaction deletes 0100 to 0899, and then asks with cursors that are made
# after the deletes. Forwards, from First by Next, there are 200 keys. Backwards, from Last by Prev, there are 100, and
# Prev from 0900 gives nothing although 0099 is there. First, Next, Seek and Last skip emptied leaves; Prev alone does
# not. Once the transaction is committed, and leaves are rebalanced, both directions give 200.
#
# Seen: "forwards 200, backwards 100, before 0900 nothing; committed 200 and 200".
# What it does to a program: "the last row before this key" is reported as missing in the midst of a bucket.
set -euo pipefail
dir=$(mktemp -d)
trap 'chmod -R u+w "$dir" && rm -rf "$dir"' EXIT
cd "$dir"
cat >go.mod <<'MOD'
module finding

go 1.25
MOD
cat >main.go <<'GO'
package main

import (
	"fmt"
	"log"

	"go.etcd.io/bbolt"
)

func count(tx *bbolt.Tx) (forwards, backwards int) {
	c := tx.Bucket([]byte("b")).Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		forwards++
	}
	for k, _ := c.Last(); k != nil; k, _ = c.Prev() {
		backwards++
	}
	return forwards, backwards
}

func key(i int) []byte { return fmt.Appendf(nil, "%04d", i) }

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	db, err := bbolt.Open("file", 0o600, nil)
	must(err)
	must(db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucket([]byte("b"))
		for i := 0; i < 1000 && err == nil; i++ {
			err = b.Put(key(i), make([]byte, 100))
		}
		return err
	}))
	must(db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte("b"))
		for i := 100; i < 900; i++ {
			must(b.Delete(key(i)))
		}
		forwards, backwards := count(tx)
		c := b.Cursor()
		c.Seek(key(900))
		before := "nothing"
		if k, _ := c.Prev(); k != nil {
			before = string(k)
		}
		fmt.Printf("forwards %d, backwards %d, before 0900 %s; ", forwards, backwards, before)
		return nil
	}))
	must(db.View(func(tx *bbolt.Tx) error {
		forwards, backwards := count(tx)
		fmt.Printf("committed %d and %d\n", forwards, backwards)
		return nil
	}))
}
GO
export GOFLAGS=-modcacherw GOMODCACHE="$dir/modules" GOCACHE="$dir/cache"
go get go.etcd.io/bbolt@v1.5.0 2>/dev/null
seen=$(go run .)
echo "$seen"
[ "$seen" = "forwards 200, backwards 100, before 0900 nothing; committed 200 and 200" ]
