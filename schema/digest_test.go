package schema_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// paperID is the output of `sha256sum` for the bytes that TestRunID assembles.
const paperID = "af79cd2cce2eb93884250f0d574c15bd773f8a55bc411291d6789c4744cbe878"

// chainLink is the same for TestLink.
const chainLink = "7fe53b16e939299eb1235c4455596d59a188ba4fbf0a530994cddca62668f8c5"

func digest(t testing.TB, text string) schema.Digest {
	t.Helper()
	d, err := schema.ParseDigest(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func runID(t testing.TB, s schema.Spec, start *schema.Digest) schema.Digest {
	t.Helper()
	id, err := schema.RunID(s, start)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// hashOf returns SHA-256 of a domain and a listing.
func hashOf(t testing.TB, domain, listing string) schema.Digest {
	t.Helper()
	return sha256.Sum256(append([]byte(domain), assemble(t, listing)...))
}

func TestRunID(t *testing.T) {
	start := digest(t, strings.Repeat("ab", 32))
	tests := []struct {
		name    string
		start   *schema.Digest
		listing string
	}{
		{"a run of its own", nil, "82" + paperListing + " f6"},
		{"a fork", &start, "82" + paperListing + " 5820" + strings.Repeat("ab", 32)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, want := runID(t, paper(), tt.start), hashOf(t, "podtrack/run/1", tt.listing); got != want {
				t.Errorf("ID %v, want %v", got, want)
			}
		})
	}
	if got := runID(t, paper(), nil).String(); got != paperID {
		t.Errorf("ID of the paper's spec %s, want %s", got, paperID)
	}
}

func TestLink(t *testing.T) {
	previous, name := digest(t, strings.Repeat("01", 32)), digest(t, strings.Repeat("02", 32))
	records := []schema.Entry{{Kind: schema.KindTransitions, Name: name}, {Kind: schema.KindMeasures, Name: previous}}
	tests := []struct {
		name    string
		k       int
		records []schema.Entry
		listing string
	}{
		{"no records", 0, nil, "83 00 5820" + strings.Repeat("01", 32) + " 80"},
		{"two records", 300, records, "83 19012c 5820" + strings.Repeat("01", 32) +
			` 82 82 "transitions" 5820` + strings.Repeat("02", 32) +
			` 82 "measures" 5820` + strings.Repeat("01", 32)},
	}
	var last schema.Digest
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := schema.Link(tt.k, previous, tt.records)
			if err != nil {
				t.Fatal(err)
			}
			if want := hashOf(t, "podtrack/iteration/1", tt.listing); got != want {
				t.Errorf("link %v, want %v", got, want)
			}
			last = got
		})
	}
	if last.String() != chainLink {
		t.Errorf("link of two records %v, want %s", last, chainLink)
	}
}

func TestIterationEntries(t *testing.T) {
	a, b := digest(t, strings.Repeat("0a", 32)), digest(t, strings.Repeat("0b", 32))
	it := schema.Iteration{Records: []schema.Entry{
		{Kind: schema.KindFactors, Name: a}, {Kind: schema.KindOption, Name: a}, {Kind: schema.KindOption, Name: b},
	}}
	if got := it.RecordsOf(schema.KindOption); !slices.Equal(got, []schema.Digest{a, b}) {
		t.Errorf("options %v", got)
	}
	if got := it.RecordsOf(schema.KindValue); got != nil {
		t.Errorf("values %v, want none", got)
	}
	if got, err := it.OnlyRecord(schema.KindOption); err != nil || got != a {
		t.Errorf("first option %v, %v", got, err)
	}
	if _, err := it.OnlyRecord(schema.KindValue); !errors.Is(err, wire.ErrMalformed) {
		t.Errorf("first value: %v, want ErrMalformed", err)
	}
}

func TestParseDigest(t *testing.T) {
	tests := []struct {
		text string
		ok   bool
	}{
		{strings.Repeat("0f", 32), true},
		{"", false},
		{strings.Repeat("0f", 31), false},
		{strings.Repeat("0f", 33), false},
		{strings.Repeat("0f", 31) + "0", false},
		{strings.Repeat("0f", 31) + "0g", false},
	}
	for _, tt := range tests {
		d, err := schema.ParseDigest(tt.text)
		if tt.ok && (err != nil || d.String() != tt.text) {
			t.Errorf("%q: %v, %v", tt.text, d, err)
		}
		if !tt.ok && !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("%q: %v, want ErrMalformed", tt.text, err)
		}
	}
	if (schema.Digest{31: 1}).IsZero() || !(schema.Digest{}).IsZero() {
		t.Error("only the digest of zeros is zero")
	}
}

func TestDigestAsJSON(t *testing.T) {
	want := digest(t, strings.Repeat("c0", 32))
	b, err := json.Marshal(want)
	if err != nil || string(b) != `"`+strings.Repeat("c0", 32)+`"` {
		t.Fatalf("%s, %v", b, err)
	}
	var got schema.Digest
	if err := json.Unmarshal(b, &got); err != nil || got != want {
		t.Errorf("%v, %v", got, err)
	}
	if err := json.Unmarshal([]byte(`"c0"`), &got); err == nil {
		t.Error("a short digest was read")
	}
}
