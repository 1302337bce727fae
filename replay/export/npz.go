package export

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// ErrNoIteration is the error of choosing an iteration that is not recorded.
var ErrNoIteration = errors.New("there is no iteration")

// ErrNoPart is the error of choosing an array or a table that does not exist.
var ErrNoPart = errors.New("no such array or table")

// Options choose the contents and the form of an npz file.
type Options struct {
	Only       []string // the arrays; empty means all
	Iterations []int    // ascending; empty means all
	Mappable   bool     // arrays are aligned and not compressed, so that they can be mapped into memory
}

// NPZ writes the iterations of runs of one store as arrays named k/array, or RUN/k/array for several runs, RUN being
// the name or the short form of the ID. The array podtrack.json has a JSON document, in UTF-8, that describes runs and
// arrays. The error wraps [ErrNoPart] or [ErrNoIteration] if options choose an array or an iteration that does not
// exist.
func NPZ(ctx context.Context, runs []*replay.Run, options Options, w io.Writer) error {
	if len(runs) == 0 {
		return report.ErrNoRuns
	}
	store := runs[0].Store().Tracker()
	summaries := make([]report.Run, len(runs))
	err := store.View(ctx, func(tx *tracker.Tx) (err error) {
		for i := 0; i < len(runs) && err == nil; i++ {
			summaries[i], err = report.Summarise(tx, runs[i].Run)
		}
		return err
	})
	if err != nil {
		return err
	}
	return WriteNPZ(ctx, store, summaries, options, w)
}

// WriteNPZ writes what [NPZ] writes, of runs that were summarised already.
func WriteNPZ(ctx context.Context, store *tracker.Store, runs []report.Run, options Options, w io.Writer) error {
	if err := checkParts(options.Only, Arrays); err != nil {
		return err
	}
	out := newNPZ(w, options.Mappable)
	view := store.Within(ctx)
	var described []aboutRun
	for _, r := range runs {
		prefix := ""
		if len(runs) > 1 {
			prefix = prefixOf(r)
		}
		x := exporter{view: view, run: r, out: out, only: options.Only, chosen: options.Iterations}
		if err := x.writeRun(prefix); err != nil {
			return tracker.WithRepairHint(fmt.Errorf("export run %s: %w", r.Label(), err), r.Label())
		}
		described = append(described, x.describe(prefix))
	}
	if err := writeAbout(out, described, options.Only); err != nil {
		return err
	}
	return out.zip.Close()
}

// checkParts returns an error for a chosen name that is not one of all.
func checkParts(chosen, all []string) error {
	for _, name := range chosen {
		if !slices.Contains(all, name) {
			return schema.Hint(fmt.Errorf("%w: %q", ErrNoPart, name), "there are %s", strings.Join(all, ", "))
		}
	}
	return nil
}

func (e *exporter) writeRun(prefix string) (err error) {
	if e.records, err = recorded.Open(e.view, e.run.Source); err != nil {
		return err
	}
	e.env, e.iterations = e.records.Env, e.records.Iterations
	if last := slices.Max(append(e.chosen, 0)); len(e.chosen) > 0 && last >= len(e.iterations) {
		return schema.Hint(fmt.Errorf("%w %d", ErrNoIteration, last), "it has %d, counted from 0", len(e.iterations))
	}
	for k := 0; k < len(e.iterations) && err == nil; k++ {
		if len(e.chosen) > 0 && !slices.Contains(e.chosen, k) {
			continue
		}
		if e.known, err = e.records.KnownAfter(k); err != nil {
			return err
		}
		e.env = e.known.Env
		err = e.writeIteration(prefix+strconv.Itoa(k)+"/", k, e.iterations)
	}
	return err
}

// describe returns the description of the run as it was written.
func (e *exporter) describe(prefix string) aboutRun {
	r := e.run
	if r.Iterations = len(e.iterations); r.Iterations > 0 { // more may have been recorded since r was read
		r.Head = &e.iterations[r.Iterations-1].Link
	}
	return aboutRun{
		Prefix: prefix, Run: r, Features: len(e.env.Features()), States: e.env.States(),
		Actions: append([]string{}, e.env.Actions()...),
	}
}

func (e *exporter) writeIteration(prefix string, k int, its []schema.Iteration) error {
	members, err := e.members(k, its)
	if err != nil {
		return err
	}
	if envs.HasEpisodes(e.env) {
		rows, err := e.episodes(its[k])
		if err != nil {
			return err
		}
		members["episode"] = member{int64s, []int{len(rows) / 3, 3}, writeAll(rows)}
	}
	if first, err := e.firstSeen(its[k]); err != nil {
		return err
	} else if first >= 0 {
		members["observation"] = member{float64s, []int{e.env.States() - first, len(e.observed().Features())},
			e.observations(first)}
	}
	if e.run.Spec.Env.HasReward() {
		steps := e.run.Source.SpecAt(k).Steps
		members["reward"] = member{float64s, []int{int(steps)}, e.rewards(its[k], steps)}
	}
	if names := e.run.Source.SpecAt(k).ExternalMeasureNames(); len(names) > 0 && e.wants(externalName) {
		members[externalName] = member{float64s, []int{len(names)}, e.externalMeasures(its[k], names)}
	}
	explored, err := e.explorationMembers(k)
	if err != nil {
		return err
	}
	maps.Copy(members, explored)
	for _, name := range Arrays {
		m, ok := members[name]
		if !ok || !e.wants(name) {
			continue
		}
		if err := e.out.array(prefix+name, m.kind, m.shape, m.fill); err != nil {
			return err
		}
	}
	return nil
}

// exporter writes one run.
type exporter struct {
	view tracker.Viewer // a transaction to read in
	run  report.Run
	out  *npz
	only []string
	env  envs.Env // as known after the iteration that is being written

	chosen []int // iterations to write, all if empty

	records    *recorded.Records
	known      *recorded.Records  // as known after the iteration that is being written
	iterations []schema.Iteration // those that are written
	explored   *explore.Summary   // nil until it is needed
}

// load reads one record in its own transaction.
func load[T any](x *exporter, name schema.Digest, decode func([]byte) (T, error)) (T, error) {
	return tracker.Read(x.view, func(tx *tracker.Tx) (T, error) { return tracker.Load(tx, name, decode) })
}

// dtype is the element type of an array in NumPy's notation.
type dtype string

// The element types in use, all little-endian.
const (
	int64s   dtype = "<i8"
	int32s   dtype = "<i4"
	int16s   dtype = "<i2"
	float64s dtype = "<f8"
	uint8s   dtype = "|u1"
	bools    dtype = "|b1"
)

// array writes an array with the given shape; fill must write its elements in row-major order.
func (n *npz) array(name string, kind dtype, shape []int, fill func(*elements) error) error {
	w, err := n.member(name + ".npy")
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, npyHeader(kind, shape)); err != nil {
		return err
	}
	e := &elements{w: bufio.NewWriterSize(w, 1<<16)}
	if err := fill(e); err != nil {
		return fmt.Errorf("array %s: %w", name, err)
	}
	return e.w.Flush()
}

// npyHeader returns a header of format version 1.0: magic, version, length, and a Python
// dictionary padded with blanks to a multiple of 64 bytes.
func npyHeader(kind dtype, shape []int) string {
	var dims strings.Builder
	for _, n := range shape {
		fmt.Fprintf(&dims, "%d,", n)
	}
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, dims.String())
	const fixed = 10
	padding := 63 - (fixed+len(dict))%64
	dict += strings.Repeat(" ", padding) + "\n"
	return "\x93NUMPY\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(dict)))) + dict
}

// elements writes the elements of an array.
type elements struct {
	w       *bufio.Writer
	scratch []byte
}

// write writes elements. An error of the file stays, and is that of the array.
func (e *elements) write(v any) {
	var err error
	if e.scratch, err = binary.Append(e.scratch[:0], binary.LittleEndian, v); err != nil {
		panic(err) // v has no elements of fixed size
	}
	_, _ = e.w.Write(e.scratch)
}

func writeAll(v any) func(*elements) error { return writeEach(1, func(int) any { return v }) }

// writeEach writes n parts.
func writeEach(n int, part func(int) any) func(*elements) error {
	return func(e *elements) error {
		for i := range n {
			e.write(part(i))
		}
		return nil
	}
}
