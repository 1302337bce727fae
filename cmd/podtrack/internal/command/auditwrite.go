package command

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/audit"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay/proof"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/excerpt"
)

// documentEnding is how the name of an audit document ends, by which check knows it.
const documentEnding = ".html"

// isDocument reports whether an argument names an audit document. No run is meant: one of such a name
// is named by its ID.
func isDocument(arg string) bool { return strings.HasSuffix(arg, documentEnding) }

// writeDocument writes an audit document of an option.
func writeDocument(c *cli.Context, ref report.Ref) error {
	path := c.String("o")
	if err := checkDocumentPlace(c, path); err != nil {
		return err
	}
	document, err := prepareDocument(c, ref)
	if errors.Is(err, excerpt.ErrTooLarge) || errors.Is(err, audit.ErrLongText) {
		err = schema.Hint(err, "podtrack export %s --format bundle -o FILE.db writes the whole run as a store, which "+
			"podtrack why and replay read", textform.ShellQuote(ref.Run))
	}
	if err != nil {
		return err
	}
	defer document.discard()
	if path == "" || path == "-" {
		return document.write(c.App.Writer)
	}
	return cmdline.WriteAtomic(c.App.ErrWriter, path, c.Bool("force"),
		cmdline.WriteFile(func(f *os.File) error { return document.write(f) }))
}

// checkDocumentPlace returns early the errors of a place at which no document can be written.
func checkDocumentPlace(c *cli.Context, path string) error {
	f, isFile := cmdline.RawWriter(c.App.Writer).(*os.File)
	switch {
	case path == "-" || path == "" && !(isFile && term.IsTerminal(int(f.Fd()))):
		return nil
	case path == "":
		return schema.Hint(errors.New("an audit document is nothing for a terminal"), "add -o FILE%s", documentEnding)
	case !isDocument(path):
		return schema.Hint(fmt.Errorf("%s does not end in %s, by which check knows a document", path, documentEnding),
			"let it end so")
	case tracker.SameFile(cmdline.OpenStore(c), tracker.New(path, tracker.Options{})):
		return schema.Hint(fmt.Errorf("%s is the store itself", path), "choose another file")
	}
	if _, err := os.Lstat(path); err == nil && !c.Bool("force") {
		return schema.Hint(fmt.Errorf("%s is there already", path), "choose another file, or replace it with --force")
	}
	return nil
}

// document is an audit document to be written.
type document struct {
	text     []byte
	evidence audit.Evidence
	file     *os.File // with the evidence
	discard  func()
}

func (d *document) write(w io.Writer) error {
	return audit.Write(w, d.text, d.evidence, io.NewSectionReader(d.file, 0, d.evidence.Bytes))
}

// prepareDocument takes what proves the option out of the store, and verifies it as check does.
func prepareDocument(c *cli.Context, ref report.Ref) (*document, error) {
	place, err := newScratch(c, "evidence")
	if err != nil {
		return nil, err
	}
	d := &document{discard: func() { _ = place.Remove() }}
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

func (d *document) prepare(c *cli.Context, ref report.Ref) error {
	sum := sha256.New()
	if err := proof.Write(c.Context, io.MultiWriter(d.file, sum), cmdline.OpenStore(c), ref, programText()); err != nil {
		return err
	}
	info, err := d.file.Stat()
	if err != nil {
		return err
	}
	d.evidence = audit.Evidence{Bytes: info.Size(), SHA256: hex.EncodeToString(sum.Sum(nil))}
	opened, err := openEvidence(c, io.NewSectionReader(d.file, 0, info.Size()))
	if err != nil {
		return err
	}
	defer opened.discard()
	if !opened.report.Verified() {
		return schema.Hint(fmt.Errorf("%w: the chain of %s does not hold", cmdline.ErrDifference, opened.report.Option),
			"podtrack why without --format html shows where")
	}
	if d.text, err = opened.render(c.Context, d.evidence); err != nil {
		return err
	}
	return audit.CheckText(d.text)
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
