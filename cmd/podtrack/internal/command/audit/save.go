package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/proof"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/excerpt"
	"github.com/podtrack/podtrack/tracker/tempfile"

	"github.com/urfave/cli/v2"
)

// Ending is the extension of the names of audit documents. podtrack check recognizes a document by it.
const Ending = ".html"

// IsDocument reports whether an argument names an audit document. A run whose name has this ending must be
// given by its ID.
func IsDocument(arg string) bool { return strings.HasSuffix(arg, Ending) }

// Save writes an audit document for an option to a file, or to stdout if path is "-". If force is true, it
// replaces an existing file.
func Save(c *cli.Context, ref report.Ref, path string, force bool) error {
	if path != "-" { // early, before the work
		if tracker.SameFile(cmdline.OpenStore(c), tracker.New(path, tracker.Options{})) {
			return schema.Hint(fmt.Errorf("%s is the store itself", path), "choose another file")
		}
		if _, err := os.Lstat(path); err == nil && !force {
			return schema.Hint(fmt.Errorf("%s already exists", path), "choose another file, or replace it with --force")
		}
	}
	document, err := prepareDocument(c, ref)
	if errors.Is(err, excerpt.ErrTooLarge) || errors.Is(err, errLongText) {
		err = schema.Hint(err, "podtrack export %s --format bundle -o FILE.db writes the whole run as a store, which "+
			"podtrack why and replay read", textfmt.ShellQuote(ref.Run))
	}
	if err != nil {
		return err
	}
	defer document.discard()
	if path == "-" {
		return document.write(c.App.Writer)
	}
	return cmdline.WriteAtomic(c.App.ErrWriter, path, force,
		cmdline.WriteFile(func(f *os.File) error { return document.write(f) }))
}

// A draft is an audit document to be written.
type draft struct {
	text     []byte
	evidence Evidence
	file     *os.File // with the evidence
	discard  func()
}

func (d *draft) write(w io.Writer) error {
	return Write(w, d.text, d.evidence, io.NewSectionReader(d.file, 0, d.evidence.Bytes))
}

// prepareDocument takes what proves the option out of the store, and verifies it as check does.
func prepareDocument(c *cli.Context, ref report.Ref) (*draft, error) {
	place, err := newScratch(c, "evidence")
	if err != nil {
		return nil, err
	}
	d := &draft{discard: func() { _ = place.Remove() }}
	d.file, err = os.OpenFile(place.ContentPath(), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		d.discard = func() { _ = errors.Join(d.file.Close(), place.Remove()) }
		err = d.prepare(c, ref)
	}
	if err != nil {
		d.discard()
		return nil, err
	}
	return d, nil
}

func (d *draft) prepare(c *cli.Context, ref report.Ref) error {
	sum := sha256.New()
	if err := proof.Write(c.Context, io.MultiWriter(d.file, sum), cmdline.OpenStore(c), ref, programText()); err != nil {
		return err
	}
	info, err := d.file.Stat()
	if err != nil {
		return err
	}
	d.evidence = Evidence{Bytes: info.Size(), SHA256: hex.EncodeToString(sum.Sum(nil))}
	opened, err := openEvidence(c, io.NewSectionReader(d.file, 0, info.Size()))
	if err != nil {
		return err
	}
	defer opened.discard()
	if !opened.report.Verified() {
		return schema.Hint(fmt.Errorf("%w: the chain of %s does not hold", cmdline.ErrDifference, opened.report.Option),
			"podtrack why without -o shows where")
	}
	if d.text, err = opened.render(c.Context, d.evidence); err != nil {
		return err
	}
	return checkText(d.text)
}

// firstDifference returns the number of the first line in which two texts differ, 0 if they are the same.
func firstDifference(a, b []byte) int {
	if bytes.Equal(a, b) {
		return 0
	}
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return 1 + bytes.Count(a[:n], []byte("\n"))
}

// newScratch returns a place for a file among the system's temporary ones, which must be removed.
func newScratch(c *cli.Context, name string) (*tempfile.Dir, error) {
	path := filepath.Join(os.TempDir(), "podtrack-audit-"+name)
	cmdline.ReclaimBeside(c.App.ErrWriter, path)
	return tempfile.New(path, "audit")
}

// openedEvidence is evidence in a store of its own, with the audit of its option.
type openedEvidence struct {
	*proof.Evidence
	report  *why.Report
	discard func()
}

// openEvidence verifies evidence and audits its option.
func openEvidence(c *cli.Context, r io.Reader) (*openedEvidence, error) {
	place, err := newScratch(c, "store")
	if err != nil {
		return nil, err
	}
	o := &openedEvidence{discard: func() { _ = place.Remove() }}
	store := tracker.New(place.ContentPath(), tracker.Options{})
	if err = store.Initialize(); err == nil {
		o.Evidence, err = proof.Open(c.Context, r, store)
	}
	if err == nil {
		bar := cmdline.StartLateBar(c.App.ErrWriter, "audit", why.Stages)
		o.report, err = why.Explain(c.Context, o.Opened, why.Question{Ref: o.Ref,
			Progress: func(s why.Stage) { bar.Begin(int(s), s.String()) }})
		bar.End()
	}
	if err != nil {
		o.discard()
		return nil, err
	}
	return o, nil
}

// dirtySuffix ends the version of a program whose sources had uncommitted changes.
const dirtySuffix = "+dirty"

// programText names this program as far as it decides how a document's text comes out: digits may
// differ in the last place on another processor.
func programText() string {
	v := replay.CurrentVersions()
	dirty := ""
	if v.Dirty {
		dirty = dirtySuffix
	}
	return fmt.Sprintf("podtrack %s%s, %s %s", v.Version, dirty, v.Arch, v.Level)
}
