package export

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
)

// aboutName is the name of the array that describes the file. It is an array of bytes, since NumPy 2.3.0 and 2.3.1
// cannot read a member of an npz file that is not an array.
const aboutName = "podtrack.json"

// about describes an npz file.
type about struct {
	Versions   replay.Versions        `json:"versions"` // of the program that wrote the file
	Runs       []aboutRun             `json:"runs"`
	Dimensions map[string]string      `json:"dimensions"` // the letters in shapes
	Arrays     map[string]description `json:"arrays"`     // by the last part of their names
}

// aboutRun describes a run and where its arrays are.
type aboutRun struct {
	Prefix string `json:"prefix"` // of the names of its arrays, before the iteration
	report.Run
	Features int      `json:"features"` // d of the environment
	States   int      `json:"states"`   // S; with observed states, those of the last iteration
	Actions  []string `json:"actions"`  // in the order of their indices
}

// writeAbout adds the description of a file with runs and the arrays in only, or all arrays if only is empty.
func writeAbout(out *npz, runs []aboutRun, only []string) error {
	a := about{Versions: replay.CurrentVersions(), Runs: runs, Dimensions: dimensions, Arrays: map[string]description{}}
	for _, d := range descriptions {
		if len(only) == 0 || slices.Contains(only, d.Name) {
			a.Arrays[d.Name] = d
		}
	}
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return out.array(aboutName, uint8s, []int{len(text)}, writeAll(text))
}

// prefixOf returns the prefix of a run's arrays in a file of several runs: its name or the short form of its ID. A name
// that contains a folder, or could lead outside the folder in which the file is unpacked, is not used.
func prefixOf(r report.Run) string {
	if strings.ContainsAny(r.Name, `/\`) || strings.HasPrefix(r.Name, ".") {
		return r.Short + "/"
	}
	return r.Label() + "/"
}
