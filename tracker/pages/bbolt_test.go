package pages

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.etcd.io/bbolt"
	"pgregory.net/rapid"
)

// TestReadsWhatBboltReads makes random files, and compares every way of reading with bbolt's.
func TestReadsWhatBboltReads(t *testing.T) {
	dir := t.TempDir()
	files := 0
	rapid.Check(t, func(t *rapid.T) {
		files++
		path := filepath.Join(dir, fmt.Sprint(files))
		db, err := bbolt.Open(path, 0o600, &bbolt.Options{
			PageSize: rapid.SampledFrom([]int{1 << 10, 4 << 10, 16 << 10}).Draw(t,
				"page"), NoSync: true, Timeout: time.Second,
		})
		ok(t, err)
		for range rapid.IntRange(1, 6).Draw(t, "commits") {
			ok(t, db.Update(func(tx *bbolt.Tx) error { return change(t, tx) }))
		}
		ok(t, db.View(func(tx *bbolt.Tx) error { return compare(t, path, tx) }))
		ok(t, db.Close())
		ok(t, os.Remove(path))
	})
}

// change puts rows into a bucket, or deletes some of its rows or all of it.
func change(t *rapid.T, tx *bbolt.Tx) error {
	name := []byte(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "bucket"))
	b, err := tx.CreateBucketIfNotExists(name)
	if err != nil {
		return err
	}
	if _, err := b.NextSequence(); err != nil {
		return err
	}
	from, n := rapid.IntRange(0, 500).Draw(t, "from"), rapid.IntRange(0, 300).Draw(t, "rows")
	size := rapid.SampledFrom([]int{0, 1, 30, 700, 40_000, 600_000}).Draw(t, "size")
	if size > 1000 {
		n = min(n, 4)
	}
	what := rapid.SampledFrom([]string{"put", "put", "put", "delete", "drop"}).Draw(t, "what")
	for i := from; i < from+n && what != "drop"; i++ {
		key := fmt.Appendf(nil, "%04d%s", i*7%811, bytes.Repeat([]byte("k"), i%40))
		if what == "put" {
			err = b.Put(key, bytes.Repeat([]byte{byte(i)}, size))
		} else {
			err = b.Delete(key)
		}
		if err != nil {
			return err
		}
	}
	if what == "drop" {
		return tx.DeleteBucket(name)
	}
	return nil
}

func compare(t *rapid.T, path string, tx *bbolt.Tx) error {
	r, err := os.Open(path)
	ok(t, err)
	defer r.Close()
	info, err := r.Stat()
	ok(t, err)
	f, err := Open(r, info.Size())
	ok(t, err)
	rows, err := content(TraverseOptions{}, f)
	ok(t, err)
	scanned := map[string]bool{}
	ok(t, Scan(r, info.Size(), f.PageSize, func(e Element) error {
		b, err := e.Value.Bytes()
		scanned[fmt.Sprintf("%s=%x", e.Key, b)] = true
		return err
	}))
	i := 0
	err = tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
		ours, err := f.OpenBucket(string(name))
		ok(t, err)
		if ours == nil || ours.Sequence != b.Sequence() {
			t.Fatalf("bucket %s: %+v", name, ours)
		}
		compareCursors(t, ours, b)
		compareSorted(t, ours, b)
		return b.ForEach(func(k, v []byte) error {
			if row := fmt.Sprintf("%s/%s=%x", name, k, v); i == len(rows) || rows[i] != row {
				t.Fatalf("row %d is not %.80s", i, row)
			}
			if !scanned[fmt.Sprintf("%s=%x", k, v)] {
				t.Fatalf("%s of %s was not scanned", k, name)
			}
			i++
			return nil
		})
	})
	if i != len(rows) {
		t.Fatalf("%d rows and not %d", len(rows), i)
	}
	return err
}

// compareCursors moves both cursors in the same random way.
func compareCursors(t *rapid.T, ours *Bucket, theirs *bbolt.Bucket) {
	a, b := ours.NewCursor(), theirs.Cursor()
	var at []byte
	for range 40 {
		var key, want []byte
		var value Value
		var err error
		step := rapid.SampledFrom([]string{"first", "last", "seek", "next", "next", "prev"}).Draw(t, "step")
		if at == nil && (step == "next" || step == "prev") {
			continue // bbolt's stays on the last key, ours is nowhere
		}
		var v []byte
		switch step {
		case "first":
			key, value, err = a.Seek(nil)
			want, v = b.First()
		case "last":
			key, value, err = a.Last()
			want, v = b.Last()
		case "next":
			key, value, err = a.Next()
			want, v = b.Next()
		case "prev":
			key, value, err = a.Prev()
			want, v = b.Prev()
		case "seek":
			sought := fmt.Appendf(nil, "%04d", rapid.IntRange(0, 900).Draw(t, "key"))
			key, value, err = a.Seek(sought)
			want, v = b.Seek(sought)
		}
		ok(t, err)
		got, err := value.Bytes()
		ok(t, err)
		if !bytes.Equal(key, want) || (key == nil) != (want == nil) || !bytes.Equal(got, v) {
			t.Fatalf("%s from %s: %s and not %s", step, at, key, want)
		}
		if at = slices.Clone(key); key != nil {
			value, found, err := ours.Get(key)
			ok(t, err)
			if b, err := value.Bytes(); !found || err != nil || !bytes.Equal(b, v) {
				t.Fatalf("key %s: %v, %v", key, found, err)
			}
		}
	}
}

// compareSorted gets ascending keys, of which the bucket has some.
func compareSorted(t *rapid.T, ours *Bucket, theirs *bbolt.Bucket) {
	var keys [][]byte
	for i := rapid.IntRange(0, 300).Draw(t, "first key"); i < 811; i += rapid.IntRange(1, 200).Draw(t, "gap") {
		key := fmt.Appendf(nil, "%04d", i)
		if c, _ := theirs.Cursor().Seek(key); c != nil && rapid.Bool().Draw(t, "a key that is there") {
			key = slices.Clone(c)
		}
		if len(keys) == 0 || bytes.Compare(keys[len(keys)-1], key) < 0 {
			keys = append(keys, key)
		}
	}
	var got, want []string
	for _, key := range keys {
		v, found, err := ours.Get(key)
		ok(t, err)
		if found {
			b, err := v.Bytes()
			ok(t, err)
			got = append(got, fmt.Sprintf("%s=%x", key, b))
		}
		if v := theirs.Get(key); v != nil {
			want = append(want, fmt.Sprintf("%s=%x", key, v))
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%d values of %d keys, and not %d", len(got), len(keys), len(want))
	}
}

// usage counts the pages in use, with their overflow, and the free ones.
type usage struct{ Reached, Free int64 }

func traverse(f *File, w TraverseOptions) (usage, error) {
	t := &traversal{TraverseOptions: w, f: f, reached: Set{}}
	err := t.traverseAll()
	return usage{t.reached.count(), t.free.count()}, err
}

// TestUsage: if no page is leaked, all pages are reached or free.
func TestUsage(t *testing.T) {
	f := open(t, newSmallFile(t))
	u, err := traverse(f, TraverseOptions{})
	ok(t, err)
	if u.Free == 0 || u.Reached+u.Free != int64(f.End)-firstPage {
		t.Errorf("%+v of %d pages", u, f.End)
	}
	var deep []string
	shallow, err := traverse(f, TraverseOptions{Shallow: []string{"deep"}, Visit: func(e Element) error {
		if e.Bucket == "deep" {
			deep = append(deep, string(e.Key))
		}
		return nil
	}})
	ok(t, err)
	if shallow != u {
		t.Errorf("shallow: %+v and not %+v", shallow, u)
	}
	if len(deep) == 0 || len(deep) > 60 {
		t.Errorf("%d rows of a bucket of which only the first leaf is read", len(deep))
	}
}

func TestWalkFrom(t *testing.T) {
	f := open(t, newSmallFile(t))
	rows, err := content(TraverseOptions{Bucket: "deep", From: []byte("deep 000250")}, f)
	ok(t, err)
	if len(rows) != 150 || rows[0][:16] != "deep/deep 000250" {
		t.Errorf("%d rows from %s", len(rows), rows[0])
	}
	all, err := traverse(f, TraverseOptions{Bucket: "deep"})
	ok(t, err)
	some, err := traverse(f, TraverseOptions{Bucket: "deep", From: []byte("deep 000250")})
	ok(t, err)
	if some.Reached >= all.Reached {
		t.Errorf("a part takes %d pages of %d", some.Reached, all.Reached)
	}
}
