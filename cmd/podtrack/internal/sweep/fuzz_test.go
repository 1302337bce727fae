package sweep

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
)

// FuzzRead: a plan from outside is refused, or is one that is written and read again
// the same.
func FuzzRead(f *testing.F) {
	for _, spec := range everySpec(f) {
		plan := runset.Plan{Specs: append(tinyPlan().Specs, spec), Seeds: runset.SeedSet(0, 5), Iterations: 3}
		text, err := (&Plan{Plan: plan, Name: "x{seed}{kappa}"}).Marshal()
		ok(f, err)
		f.Add(text)
	}
	text, err := tinyPlan().Marshal()
	ok(f, err)
	f.Add(bytes.Replace(text, []byte(`"0-3"`), []byte(`"0-999999,7,7"`), 1))
	f.Add(bytes.Replace(text, []byte(`null`), []byte(`{"kinds":["value"],"last":-1}`), 1))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := parsePlan(text)
		if err != nil || p.Len() > 10_000 ||
			slices.ContainsFunc(p.Specs, func(s schema.Spec) bool { return s.Env.Params["bits"] > 12 }) {
			return // what takes long to check
		}
		if p.Check(context.Background()) != nil {
			return
		}
		written, err := p.Marshal()
		ok(t, err)
		again, err := readPlan(context.Background(), bytes.NewReader(written))
		if err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		if twice, err := again.Marshal(); err != nil || !bytes.Equal(twice, written) {
			t.Fatalf("%v\n%s\n%s", err, written, twice)
		}
		for i := range min(p.Len(), 20) {
			_, err := p.job(i)
			ok(t, err)
		}
	})
}

// FuzzPartName: whatever a file is called, either it is no part, or its bytes are compared with the seal in its name.
func FuzzPartName(f *testing.F) {
	seal := strings.Repeat("0f", 32)
	for _, name := range []string{
		"0000-of-0002.M5H4U74JTESQHVUD.0001." + seal + ".db", "1-of-1.A.1." + seal + ".db",
		"0000-of-0002.x.0001." + seal + ".db",
		".0000-of-0002.tmp", seal + ".db", "", "../x", "0000-of-0002.A.0001." + strings.ToUpper(seal) + ".db",
	} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		m := partName().FindStringSubmatch(name)
		if m == nil {
			return
		}
		if strings.ContainsAny(name, "/\\\x00\n") || !strings.HasSuffix(name, "."+m[3]+".db") ||
			strings.HasPrefix(name, ".") {
			t.Errorf("%q is a part with the seal %s", name, m[3])
		}
	})
}

// TestPartNames: the names that attempts give are those of parts, and no two are the
// same.
func TestPartNames(t *testing.T) {
	s := newSite(t)
	seen := map[string]bool{}
	for i, shard := range []Shard{WholePlan, {7, 8}, {7, 8}, {999_999, MaxShards}} {
		a := s.folder.NewWorker(shard, nil)
		for range 2 {
			a.written++
			path := a.partPath(strings.Repeat(fmt.Sprint(i), 64))
			seen[path] = true
			ok(t, os.WriteFile(path, nil, 0o666))
		}
	}
	if parts := s.parts(); len(parts) != 8 || len(seen) != 8 {
		t.Errorf("%d parts of %d names", len(parts), len(seen))
	}
}
