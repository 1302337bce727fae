package faults

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/audit"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/excerpt"
)

// documented returns a store of one small run, and the path and bytes of an audit document about it.
func documented(t *testing.T) (store, path string, document []byte) {
	t.Helper()
	dir := t.TempDir()
	store, path = filepath.Join(dir, "podtrack.db"), filepath.Join(dir, "doc.html")
	for _, args := range [][]string{
		{"run", "--store", store, "--bits", "6", "--steps", "100", "--iterations", "3"},
		{"why", "@1:1/1+", "-o", path, "--store", store},
		{"check", path},
	} {
		if code, _, stderr := e2e.Podtrack(args...); code != 0 {
			t.Fatal(stderr)
		}
	}
	document, err := os.ReadFile(path)
	e2e.Must(t, err)
	return store, path, document
}

// TestDocumentEveryByte: an audit document with another byte, or without its end, is refused wherever
// that is, and what is said of it has the form of every error.
func TestDocumentEveryByte(t *testing.T) {
	t.Parallel()
	_, path, document := documented(t)
	r := rand.New(rand.NewPCG(1, 2))
	for range schematest.Size(60, 1000) {
		at := r.IntN(len(document))
		damaged := bytes.Clone(document)
		if damaged[at] ^= 1 << r.IntN(8); r.IntN(10) == 0 {
			damaged = damaged[:at]
		}
		e2e.Must(t, os.WriteFile(path, damaged, 0o600))
		code, stdout, stderr := e2e.Podtrack("check", path)
		allowed := code == cmdline.ExitDifference || code == cmdline.ExitFailure &&
			strings.Contains(stderr, "not an audit document")
		if !allowed || strings.Contains(stdout, "proved:") || e2e.CheckMessage(stderr) != "" {
			t.Errorf("byte %d of %d: exit code %d\n%s%s%s", at, len(document), code, stdout, stderr, e2e.CheckMessage(stderr))
		}
	}
}

// compose writes a document of a text about the evidence that a store has, with the digests that
// belong to it. It is what a forger can make.
func compose(t *testing.T, store, text, program string, keep excerpt.Keep) string {
	t.Helper()
	var id schema.Digest
	from := tracker.New(store, tracker.Options{})
	e2e.Must(t, from.View(t.Context(), func(tx *tracker.Tx) error {
		run, err := tx.Resolve("@1")
		id = run.ID
		return err
	}))
	note, err := wire.Marshal(map[string]any{"k": 1, "j": 1, "sign": 1, "program": program})
	e2e.Must(t, err)
	var evidence bytes.Buffer
	e2e.Must(t, excerpt.Write(t.Context(), &evidence, from, id, note, keep))
	return composeOf(t, text, evidence)
}

// composeOf writes a document of a text and of evidence.
func composeOf(t *testing.T, text string, evidence bytes.Buffer) string {
	t.Helper()
	sum := sha256.Sum256(evidence.Bytes())
	e := audit.Evidence{Bytes: int64(evidence.Len()), SHA256: hex.EncodeToString(sum[:])}
	text = regexp.MustCompile(`\d+ bytes, SHA-256 [0-9a-f]{64}`).ReplaceAllString(text,
		fmt.Sprintf("%d bytes, SHA-256 %s", e.Bytes, e.SHA256))
	path := filepath.Join(t.TempDir(), "composed.html")
	var out bytes.Buffer
	e2e.Must(t, audit.Write(&out, []byte(text), e, &evidence))
	e2e.Must(t, os.WriteFile(path, out.Bytes(), 0o600))
	return path
}

// keepProof keeps what an audit of iteration 1 may read.
func keepProof(k, _ int, e schema.Entry) bool { return k <= 1 && e.Kind != schema.KindMeasures }

// TestForgedDocuments refuses forged documents whose frame and digests are right.
func TestForgedDocuments(t *testing.T) {
	t.Parallel()
	store, _, document := documented(t)
	text, _, _ := strings.Cut(string(document), "<script ")
	program := regexp.MustCompile(`<td[^>]*>(podtrack [^<]*), numerics [0-9]+ of the run<`).FindStringSubmatch(text)[1]
	other := strings.ReplaceAll(text, program, "podtrack v99.0.0, amd64 v1")
	forged := rewrite(t, store, func(*schema.Spec) {}, func(k int, kind schema.Kind, record []byte) []byte {
		if k != 1 || kind != schema.KindFactors {
			return record
		}
		f, err := schema.DecodeFactors(record)
		e2e.Must(t, err)
		f.Sigma[0] *= 1.5
		record, err = f.Encode()
		e2e.Must(t, err)
		return record
	})
	numerics := rewrite(t, store, func(s *schema.Spec) { s.Numerics = schema.NumericsVersion + 1 },
		func(_ int, _ schema.Kind, r []byte) []byte { return r })
	unknown := rewrite(t, store, func(s *schema.Spec) { s.Env.Name = "moon" },
		func(_ int, _ schema.Kind, r []byte) []byte { return r })
	numbers := strings.Replace(text, "<td>yes</td>", "<td>yes</td><td>x</td>", 1)
	none := func(int, int, schema.Entry) bool { return false }
	for name, test := range map[string]struct {
		path string
		code int
		want string
	}{
		"more records than it needs": {compose(t, store, text, program, keepProof), cmdline.ExitDifference, "text +no"},
		"another text": {compose(t, store, numbers, program, keepProof), cmdline.ExitDifference,
			"text +no +from line \\d+ on it is not what podtrack writes"},
		"another podtrack's text": {compose(t, store, numbers, "podtrack v99.0.0, amd64 v1", keepProof),
			cmdline.ExitUnverified,
			"text +no +not compared: it was written by podtrack v99.0.0"},
		"factors that do not follow": {compose(t, forged, text, program, keepProof), cmdline.ExitDifference,
			"factors of iteration 1 +no +its Σ, V and U are not those of its rows"},
		"other numerics": {compose(t, numerics, text, program, keepProof), cmdline.ExitUnverified,
			fmt.Sprintf("numerics version %d", schema.NumericsVersion+1)},
		"an unknown environment": {compose(t, unknown, text, program, keepProof), cmdline.ExitUnverified, "moon"},
		"no records": {compose(t, store, text, program, none), cmdline.ExitDifference,
			"lacks a record that the proof needs"},
		"a program of many words": {compose(t, store, other, strings.Repeat("podtrack ", 99), keepProof),
			cmdline.ExitDifference, "the name of its program has 891 bytes, more than 200"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := e2e.Podtrack("check", test.path)
			if code != test.code || !regexp.MustCompile(test.want).MatchString(stdout+stderr) ||
				strings.Contains(stdout, "proved:") {
				t.Errorf("exit code %d, want %d and %q\n%s%s", code, test.code, test.want, stdout, stderr)
			}
			if why := e2e.CheckMessage(stderr); why != "" {
				t.Error(why)
			}
		})
	}
	path := filepath.Join(t.TempDir(), "forged.html")
	if code, _, stderr := e2e.Podtrack("why", "@1:1/1+", "-o", path, "--store", forged); code != cmdline.ExitDifference ||
		!strings.Contains(stderr, "does not hold") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a document whose chain does not hold was written")
	}
}

// TestHugeDocuments: documents whose spec asks for more memory than there is end as documented, and
// quickly.
func TestHugeDocuments(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "sh")
	limit := fmt.Sprintf("ulimit -v %d", addressLimit)
	if out, err := limited(t, stopAfter, limit, "--version").CombinedOutput(); err != nil {
		schematest.SkipLacking(t, "under %s the program does not even start: %v\n%.300s", limit, err, out)
	}
	_, _, document := documented(t)
	text, _, _ := strings.Cut(string(document), "<script ")
	for name, huge := range hugeEnvs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			place := forgedPlace(t, huge.records, huge.spec)
			for _, keep := range []excerpt.Keep{keepProof, func(int, int, schema.Entry) bool { return false }} {
				path := compose(t, filepath.Join(place, "forged.db"), text, "podtrack", keep)
				out, err := tryLimited(t, limit, nil, "check", path)
				if err == nil || bytes.Contains(out, []byte("proved:")) {
					t.Errorf("accepted:\n%s", out)
				}
			}
		})
	}
}
