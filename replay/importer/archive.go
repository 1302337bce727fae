// Package importer is podtrack's own: it reads data recorded by other programs, transitions or a plain D,
// from an archive as numpy.savez writes it.
//
// [Open] reads the list of an archive's arrays, [Archive.FindSource] chooses the arrays that are the data, and
// [Source.ReadTransitions] or [Source.ReadRows] reads them. The result is [Data]: the records that iteration 0 of a run
// uses instead of collecting steps, with their digest. Each transition is checked against the environment; of a plain D
// the distinct rows are counted. Errors wrap [ErrFile], [ErrArray] or [ErrData].
//
// The file is untrusted:
//
//   - A declared shape is checked against the real size before anything is allocated.
//   - Memory is bounded by the packed records, or by [MaxDistinct], whatever the file claims or unpacks to.
//   - Nothing is unpickled.
//   - The package has its own reader of npy, because npyio 0.6.0 allocates 1 GiB for a file of 1 KiB that claims as
//     much, and returns no error for missing elements.
package importer

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/schema"
)

// AdvicePrefix is the advice where several arrays could be meant.
const AdvicePrefix = "choose the arrays by their prefix: %s"

// Errors of files.
var (
	ErrFile     = errors.New("not a readable archive")
	errNoArrays = errors.New("arrays not found")
	ErrArray    = errors.New("not a readable array")
	ErrData     = errors.New("not data of this environment")
)

// The kinds of data that [Archive.FindSource] takes.
const (
	AsTransitions = "transitions"
	AsDelta       = "delta"
)

const (
	maxFile      = 1 << 36 // bytes of an archive
	maxDirectory = 1 << 24 // bytes of its list of members
	listed       = 8       // prefixes that an error names
)

// Archive is an open file of arrays.
type Archive struct {
	members map[string]*zip.File // by the array's name
}

// Open reads the list of members. It ignores members that are not NumPy arrays.
func Open(file io.ReaderAt, size int64) (*Archive, error) {
	if size > maxFile {
		return nil, schema.Hint(fmt.Errorf("%w: it has %d bytes", ErrFile, size), "import at most %d bytes at once",
			int64(maxFile))
	}
	budget := &boundedReader{r: file, left: maxDirectory}
	z, err := zip.NewReader(budget, size)
	if err != nil {
		return nil, schema.Hint(fmt.Errorf("%w: %w", ErrFile, err), "numpy.savez(FILE, state=…, action=…) writes one")
	}
	budget.done = true
	a := &Archive{members: map[string]*zip.File{}}
	for _, f := range z.File {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok {
			continue
		}
		if a.members[name] != nil {
			return nil, schema.Hint(fmt.Errorf("%w: it has two arrays %q", ErrFile, name),
				"duplicate names are ambiguous; write the file again")
		}
		a.members[name] = f
	}
	return a, nil
}

// boundedReader limits how much is read of a file's list of members.
type boundedReader struct {
	r    io.ReaderAt
	left int
	done bool
}

func (b *boundedReader) ReadAt(p []byte, off int64) (int, error) {
	if !b.done {
		if b.left -= len(p); b.left < 0 {
			return 0, errors.New("its list of members is too long")
		}
	}
	return b.r.ReadAt(p, off)
}

// Source is the data of an archive: the arrays whose names begin with Prefix.
type Source struct {
	archive *Archive
	Prefix  string
	As      string // AsTransitions or AsDelta
}

// FindSource finds the data. Without a prefix it looks for bare names, then for names below the
// only prefix. as may be empty if the arrays determine the kind.
func (a *Archive) FindSource(prefix *string, as string) (Source, error) {
	if as != "" && as != AsTransitions && as != AsDelta {
		return Source{}, schema.Hint(fmt.Errorf("unknown kind of data %q", as), "use %s or %s", AsTransitions, AsDelta)
	}
	at, where := "", ""
	if prefix != nil {
		at, where = *prefix, fmt.Sprintf(" under the prefix %q", *prefix)
	} else if found := a.prefixes(as); len(found) == 1 {
		at = found[0]
	}
	if kind := a.kind(at, as); kind != "" {
		return Source{a, at, kind}, nil
	}
	return Source{}, a.newNotFoundError(where, as)
}

// kind returns the kind of the arrays under a prefix, "" if it is not the kind that as names.
func (a *Archive) kind(prefix, as string) string {
	switch {
	case as != AsDelta && a.members[prefix+"state"] != nil && a.members[prefix+"action"] != nil:
		return AsTransitions
	case as != AsTransitions && a.members[prefix+"delta"] != nil:
		return AsDelta
	}
	return ""
}

// prefixes returns the sorted prefixes under which there are data.
func (a *Archive) prefixes(as string) []string {
	found := map[string]bool{}
	for name := range a.members {
		prefix := name[:strings.LastIndexByte(name, '/')+1]
		if a.kind(prefix, as) != "" {
			found[prefix] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// newNotFoundError returns an error with the missing arrays, and with prefixes under which there are such arrays.
func (a *Archive) newNotFoundError(where, as string) error {
	wanted := map[string]string{AsTransitions: "state and action", AsDelta: "delta", "": "state and action, or delta"}[as]
	err := fmt.Errorf("%w: %s%s", errNoArrays, wanted, where)
	found := a.prefixes(as)
	if len(found) == 0 {
		return schema.Hint(err,
			"numpy.savez(FILE, state=…, action=…) gives transitions, numpy.savez(FILE, delta=…) a plain D")
	}
	list := strings.Join(found[:min(len(found), listed)], " ")
	if found[0] == "" {
		list = "''" + list
	}
	if len(found) > listed {
		list += fmt.Sprintf(" and %d more", len(found)-listed)
	}
	return schema.Hint(err, AdvicePrefix, list)
}
