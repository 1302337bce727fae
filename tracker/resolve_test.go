package tracker_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/gc"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/rows"
)

// InsertRunWithID writes a run under an ID with chosen digits, which does not match its spec.
func insertRunWithID(t *testing.T, tx *tracker.Tx, number uint64, prefix string) schema.Digest {
	t.Helper()
	id, err := schema.ParseDigest(prefix + strings.Repeat("0", 64-len(prefix)))
	OK(t, err)
	OK(t, tx.PutRun(tracker.Run{ID: id, Number: number, Spec: Spec(number)}))
	OK(t, tx.Rows().PutRef(rows.BucketOrder, rows.NumberKey(number), id))
	OK(t, tx.PutAnnotation(id, tracker.Annotation{}))
	return id
}

func TestResolve(t *testing.T) {
	s, _ := NewStore(t)
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		a := insertRunWithID(t, tx, 1, "abcdef0123")
		b := insertRunWithID(t, tx, 2, "abcdef0124")
		c := insertRunWithID(t, tx, 3, "0000")
		d := insertRunWithID(t, tx, 4, strings.Repeat("f", 64))
		OK(t, tx.SetName(b, "beta"))
		for _, x := range []struct {
			ref  string
			want schema.Digest
			err  error
		}{
			{ref: "abcdef0123", want: a}, {ref: "ABCDEF0123", want: a}, {ref: a.String(), want: a},
			{ref: "abcdef0124", want: b}, {ref: "beta", want: b},
			{ref: "0000", want: c}, {ref: "00000", want: c}, {ref: "ffff", want: d}, {ref: d.String(), want: d},
			{ref: "@1", want: d}, {ref: "@2", want: c}, {ref: "@4", want: a},
			{ref: "abcdef012", err: tracker.ErrInvalid}, {ref: "abcd", err: tracker.ErrInvalid},
			{ref: "abc", err: tracker.ErrInvalid}, {ref: "abce", err: tracker.ErrMissing},
			{ref: "00001", err: tracker.ErrMissing}, {ref: d.String() + "f", err: tracker.ErrMissing},
			{ref: "@5", err: tracker.ErrMissing}, {ref: "@0", err: tracker.ErrInvalid},
			{ref: "@", err: tracker.ErrInvalid}, {ref: "@-1", err: tracker.ErrInvalid},
			{ref: "gamma", err: tracker.ErrMissing}, {ref: "", err: tracker.ErrMissing}, {ref: "bet", err: tracker.ErrMissing},
		} {
			id, err := tx.ResolveID(x.ref) // these IDs are of no spec, which Resolve would find out
			if x.err != nil {
				WantErr(t, err, x.err)
				if schema.Remedy(err) == "" {
					t.Errorf("%q: no remedy", x.ref)
				}
				continue
			}
			if err != nil || id != x.want {
				t.Errorf("%q: got %v, %v, want %v", x.ref, id, err, x.want)
			}
		}
		_, err := tx.Resolve("ffff")
		WantErr(t, err, tracker.ErrDamaged)
		_, err = tx.Resolve("abcdef")
		Equal(t, "candidates", schema.Remedy(err), "give more digits: abcdef0123, abcdef0124 beta")
		for id, want := range map[schema.Digest]string{a: "abcdef0123", b: "abcdef0124", c: "0000000", d: "fffffff"} {
			Equal(t, "short", tx.ShortID(id), want)
		}
		return nil
	}))
}

func TestAmbiguityListsFive(t *testing.T) {
	s, _ := NewStore(t)
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		for i := range 7 {
			insertRunWithID(t, tx, uint64(i+1), fmt.Sprintf("abcd%d", i))
			_, err := tx.Resolve("abcd")
			hint := schema.Remedy(err)
			Equal(t, "more", strings.HasSuffix(hint, "…"), i+1 > 5)
			Equal(t, "candidates", strings.Count(hint, "abcd"), []int{0, 2, 3, 4, 5, 5, 5}[i])
		}
		return nil
	}))
}

func TestNamesAndTags(t *testing.T) {
	for name, want := range map[string]bool{
		"a-run": true, "ünï": true, "beef2.x": true, "run/1": true, strings.Repeat("x", 100): true,
		"": false, "beef": false, "1234": false, "BEEF": false, "a b": false, "a@b": false, "a:b": false, "a=b": false,
		"-a": false, "a\n": false, "a\x00": false, "a\u00a0b": false, "\xff": false, strings.Repeat("x", 101): false,
	} {
		Equal(t, fmt.Sprintf("name %q", name), tracker.ValidateName(name) == nil, want)
	}
	for tag, want := range map[string]bool{
		"beef": true, "a:b": true, "@x": true, "": false, "a b": false, "a=b": false, "a,b": false,
		strings.Repeat("x", 101): false,
	} {
		Equal(t, fmt.Sprintf("tag %q", tag), tracker.ValidateTag(tag) == nil, want)
	}
}

func TestANameIsOneRuns(t *testing.T) {
	s, _ := NewStore(t)
	var a, b schema.Digest
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		a, b = insertRunWithID(t, tx, 1, "aaaa"), insertRunWithID(t, tx, 2, "bbbb")
		OK(t, tx.SetName(a, "mine"))
		OK(t, tx.SetName(a, "mine"))
		err := tx.SetName(b, "mine")
		WantErr(t, err, tracker.ErrTaken)
		if !strings.Contains(err.Error(), "aaaa000") {
			t.Errorf("error %q does not name the run", err)
		}
		OK(t, tx.SetName(a, "other"))
		OK(t, tx.SetName(b, "mine"))
		OK(t, tx.SetName(b, ""))
		_, err = tx.Resolve("mine")
		WantErr(t, err, tracker.ErrMissing)
		return nil
	}))
	_, err := gc.Remove(t.Context(), s, []schema.Digest{a})
	OK(t, err)
	_, err = gc.Remove(t.Context(), s, []schema.Digest{a})
	WantErr(t, err, tracker.ErrMissing)
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		OK(t, tx.SetName(b, "other"))
		for _, f := range []func(schema.Digest) error{
			func(id schema.Digest) error { return tx.SetName(id, "x-y") },
			func(id schema.Digest) error { return tx.SetNote(id, "x") },
			func(id schema.Digest) error { return tx.AddTag(id, "x") },
			func(id schema.Digest) error { return tx.RemoveTag(id, "x") },
		} {
			WantErr(t, f(a), tracker.ErrMissing)
		}
		return nil
	}))
}

// TestAncestorsBeginWhereTheySay gives a fork, and a fork of a fork, iterations whose links differ
// from those in their rows.
func TestAncestorsBeginWhereTheySay(t *testing.T) {
	a, b, other := schema.Name([]byte("a")), schema.Name([]byte("b")), schema.Name([]byte("other"))
	fork := tracker.Run{ID: b, Spec: Spec(2), Start: &a, Ancestors: []tracker.Ancestor{{Spec: Spec(1), Until: 2}}}
	twice := tracker.Run{ID: b, Spec: Spec(3), Start: &b,
		Ancestors: []tracker.Ancestor{{Spec: Spec(1), Until: 2}, {Spec: Spec(2), Start: &a, Until: 4}}}
	for _, c := range []struct {
		name string
		run  tracker.Run
		k    int
		link schema.Digest
		err  error
	}{
		{"a fork's own first iteration", fork, 2, a, nil},
		{"on another's iterations", fork, 2, other, tracker.ErrDamaged},
		{"an ancestor's first", twice, 2, a, nil},
		{"an ancestor's, on another's", twice, 2, other, tracker.ErrDamaged},
		{"a fork of a fork's own first", twice, 4, b, nil},
		{"a fork of a fork's, on its ancestor's start", twice, 4, a, tracker.ErrDamaged},
		{"a start before all iterations", tracker.Run{ID: a, Spec: Spec(1), Start: &b}, 0, schema.Digest{},
			tracker.ErrDamaged},
		{"no start after some", tracker.Run{ID: a, Spec: Spec(2),
			Ancestors: []tracker.Ancestor{{Spec: Spec(1), Until: 2}}}, 2, b,
			tracker.ErrDamaged},
		{"inside a stretch", fork, 3, other, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.run.PreviousLink(c.k, c.link)
			if c.err != nil {
				WantErr(t, err, c.err)
				return
			}
			OK(t, err)
		})
	}
}
