package check

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// Report is the result of [Run].
type Report struct {
	Runs       int   `json:"runs"`
	Iterations int   `json:"iterations"`
	Records    int   `json:"records"`    // distinct records that rows name
	Bytes      int64 `json:"bytes"`      // bytes of Records as stored
	Read       int   `json:"read"`       // verified ones of Records
	ReadBytes  int64 `json:"read_bytes"` // bytes of Read as stored
	Pruned     int   `json:"pruned"`     // pruned ones of Records

	Sample string `json:"sample,omitempty"` // the sample n/t that was read: see [SelectPart]
	Unused int    `json:"unused"`           // records that no row names; this is not damage

	File int64 `json:"file"` // bytes of the file
	Free int64 `json:"free"` // of these, bytes in unused pages

	Damaged []Damage `json:"damaged"`
	More    int      `json:"more"` // number of damages that are not listed
}

// maxDamages bounds the length of the list of damages.
const maxDamages = 10_000

// A Damage describes one damaged thing. Unknown fields are nil or "".
type Damage struct {
	Run    *schema.Digest `json:"run"`
	Name   string         `json:"name,omitempty"` // of the run
	K      *int           `json:"k"`              // iteration; nil for a checkpoint
	Kind   string         `json:"kind"`           // of the record, or the bucket of the row, or "structure"
	Digest *schema.Digest `json:"digest"`         // of the record
	Why    string         `json:"why"`
	Misfit bool           `json:"misfit,omitempty"` // the record is intact, but its run's spec cannot make it
}

// kindStructure is the [Damage.Kind] of damaged pages.
const kindStructure = "structure"

// Intact reports whether the check found no damage.
func (r Report) Intact() bool { return len(r.Damaged)+r.More == 0 }

// IsSubsetOf reports whether everything damaged in r is also damaged in other, for whatever reason.
func (r Report) IsSubsetOf(other Report) bool {
	there := map[string]bool{}
	for _, d := range other.Damaged {
		there[d.location()] = true
	}
	return r.More <= other.More && !slices.ContainsFunc(r.Damaged, func(d Damage) bool { return !there[d.location()] })
}

func (d Damage) location() string {
	k := -1
	if d.K != nil {
		k = *d.K
	}
	return fmt.Sprint(d.Run, k, d.Kind, d.Digest)
}
