package tracker

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker/codec"
	"github.com/podtrack/podtrack/tracker/rows"
)

// TestCuts: what is as long as it may be stays as it is, and what is longer is cut to that.
func TestCuts(t *testing.T) {
	letters := func(n int) string { return strings.Repeat("x", n) }
	words := func(n int) Code { return Code{Args: strings.Split(letters(n), "")} }
	programs := func(n int) Code { return Code{Programs: make([]Program, n)} }
	program := func(p Program) Program { return Code{Programs: []Program{p}}.Bounded().Programs[0] }
	packages := func(n int) map[string]string {
		all := map[string]string{}
		for i := range n {
			all[fmt.Sprintf("p%03d", i)] = "1"
		}
		return all
	}
	s, _ := NewStore(t)
	id := Extend(t, s, 1, 1)
	failure := func(n int) (cut int) {
		ok(t, s.Update(t.Context(), func(tx *Tx) error {
			ok(t, tx.SetFailure(id, letters(n)))
			a, err := tx.ReadAnnotation(id)
			cut = len(a.Failure)
			return err
		}))
		return cut
	}
	w := CloseAtEnd(t, StartWriter(t.Context(), s))
	seed := uint64(2)
	target := func(n int) int {
		seed++
		_, st := Begin(t, w, seed, n)
		return st.Target
	}
	for _, limit := range []struct {
		name string
		most int
		cut  func(n int) int
	}{
		{"words of a command", 100, func(n int) int { return len(words(n).Bounded().Args) }},
		{"bytes of a word", 1000, func(n int) int { return len(Code{Commit: letters(n)}.Bounded().Commit) }},
		{"programs", 8, func(n int) int { return len(programs(n).Bounded().Programs) }},
		{"packages", 200, func(n int) int { return len(program(Program{Packages: packages(n)}).Packages) }},
		{"a failure", 64 << 10, failure},
		{"a target", MaxIterations, target},
	} {
		for _, n := range []int{limit.most - 1, limit.most, limit.most + 1} {
			equal(t, fmt.Sprintf("%s of %d", limit.name, n), limit.cut(n), min(n, limit.most))
		}
	}
	equal(t, "a word at the limit", Code{Commit: letters(1000)}.Bounded().Commit, letters(1000))
	equal(t, "a text at the limit", clipText(letters(10), 10), letters(10))
	equal(t, "one beyond", clipText(letters(11), 10), letters(10)+"…")
}

// TestIterationLimit: the last iteration that a key has room for is sealed, and none after it.
func TestIterationLimit(t *testing.T) {
	s, _ := NewStore(t)
	w := StartWriter(t.Context(), s)
	defer func() { _ = w.Close(t.Context()) }() // whether or not it can write them
	r, _ := Begin(t, w, 1, 2)
	r.next = MaxIterations - 1
	ok(t, r.SealIteration(MaxIterations-1, schema.Iteration{}, Cost{}))
	wantErr(t, r.SealIteration(MaxIterations, schema.Iteration{}, Cost{}), ErrInvalid)
}

// TestLinkLimit: as many links as Linux follows are followed, and one more is refused.
func TestLinkLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	chain := func(n int) (string, error) {
		last := path
		for i := range n {
			link := fmt.Sprintf("%s.%d.%d", path, n, i)
			ok(t, os.Symlink(last, link))
			last = link
		}
		return followLinks(last)
	}
	at, err := chain(maxLinks)
	ok(t, err)
	equal(t, "the file", at, path)
	if _, err := chain(maxLinks + 1); err == nil || !strings.Contains(err.Error(), "more than 40 symbolic links") {
		t.Error(err)
	}
}

// TestPlanSizeLimit: the size that the row of a plan claims is refused before anything is unpacked.
func TestPlanSizeLimit(t *testing.T) {
	key := planKey(schema.Digest{})
	claim := func(size uint64) error {
		_, err := decodePlan(key, binary.AppendUvarint([]byte{codec.Delta}, size))
		return err
	}
	at, beyond := claim(runset.MaxPlanBytes), claim(runset.MaxPlanBytes+1)
	if !strings.Contains(fmt.Sprint(at), "stored form is malformed") ||
		!strings.Contains(fmt.Sprint(beyond), "a plan of 67108865 bytes") {
		t.Errorf("at the limit %v, one beyond %v", at, beyond)
	}
}

// TestSequenceLimit: the sequence of run numbers in a damaged file is believed if it is not too far ahead.
func TestSequenceLimit(t *testing.T) {
	for inFile, want := range map[uint64]bool{maxRemoved + 6: true, maxRemoved + 7: false, 8: true, 7: false, 3: false} {
		equal(t, fmt.Sprint("believed ", inFile), isBelievable(inFile, 7), want)
	}
}

// TestFoundRowLimit: a row that is found in a damaged file can be of the largest size, and no larger one is taken up.
func TestFoundRowLimit(t *testing.T) {
	key := make([]byte, len(schema.Digest{}))
	for size, taken := range map[int64]bool{rows.MaxListRow: true, rows.MaxListRow + 1: false} {
		equal(t, fmt.Sprint("taken up with ", size, " bytes"), len(candidateBuckets(key, size)) > 0, taken)
	}
}

// TestNameSet: a set has the names that were added, also after it was asked.
func TestNameSet(t *testing.T) {
	var s rows.NameSet
	for i := range 9 {
		name := schema.Name([]byte{byte(i)})
		equal(t, fmt.Sprint("before it is added: ", i), s.Has(name[:]), false)
		s.Add(name)
		s.Add(name)
		equal(t, fmt.Sprint("then: ", i), s.Has(name[:]), true)
	}
}
