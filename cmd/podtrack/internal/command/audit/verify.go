package audit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/hints"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"

	"github.com/urfave/cli/v2"
)

// Verification is the output of check for an audit document.
type Verification struct {
	File    string          `json:"file"`
	Program string          `json:"program"` // that wrote the document, as it says
	Run     schema.Digest   `json:"run"`
	Head    schema.Digest   `json:"head"`
	Option  string          `json:"option"`
	Number  *int            `json:"number"`
	Text    string          `json:"text"` // same, different or "not compared"
	Checks  []documentCheck `json:"checks"`
	Proved  bool            `json:"proved"`
	Why     *why.Report     `json:"why"` // computed from the records
}

// documentCheck is one thing that was verified.
type documentCheck struct {
	What     string `json:"what"`
	Verified bool   `json:"verified"`
	How      string `json:"how"` // what was verified, or what is wrong
}

const (
	textSame      = "same"
	textDifferent = "different"
	textUnknown   = "not compared"
)

// Verify verifies a document from its frame to its text. It returns an error if the evidence
// cannot be used at all.
func Verify(c *cli.Context, path string, expect *schema.Digest) (*Verification, error) {
	f, size, err := cmdline.OpenRegular(path)
	if err != nil {
		return nil, schema.Hint(err, "name an audit document; a run of that name is named by its ID")
	}
	defer f.Close()
	d, err := scan(c.Context, f, size)
	switch {
	case errors.Is(err, errNotDocument):
		return nil, schema.Hint(err, "podtrack why RUN:#N -o FILE%s writes one", Ending)
	case errors.Is(err, tracker.ErrDamaged):
		return nil, documentError("%v", err)
	case err != nil:
		return nil, err
	}
	opened, err := openEvidence(c, d.open())
	if err != nil {
		return nil, evidenceError(err)
	}
	defer opened.discard()
	text, err := opened.render(c.Context, d.Evidence)
	if err != nil {
		return nil, err
	}
	r := &Verification{File: path, Program: opened.Program, Run: opened.Contents.Run.ID, Head: opened.Head(),
		Option: opened.report.Option, Number: opened.report.Number, Proved: true, Why: opened.report}
	r.add(true, "evidence", "its %d bytes have the SHA-256 that the document states", d.Bytes)
	r.addRecords(opened)
	if stages.LowestLevel(r.Why.Levels) != schema.Recomputed {
		r.add(true, "levels", "the head proves: %s", hints.ProvesText(r.Why.Levels))
	}
	r.addText(firstDifference(text, d.Text))
	switch {
	case expect == nil:
	case r.Head == *expect:
		r.add(true, "head", "it is the one that was expected")
	default:
		r.add(false, "head", "it is %s", r.Head)
	}
	return r, nil
}

// evidenceError returns the error of evidence that cannot be used. Its remedy concerns the document, never a store.
func evidenceError(err error) error {
	switch {
	case errors.Is(err, replay.ErrUnverifiable):
		return err
	case errors.Is(err, tracker.ErrPruned):
		return documentError("its evidence lacks a record that the proof needs")
	case errors.Is(err, tracker.ErrDamaged), errors.Is(err, tracker.ErrMissing), recorded.IsDamage(err),
		errors.Is(err, schema.ErrSpec):
		return documentError("its evidence: %v", err)
	}
	return err
}

// documentError returns a [tracker.ErrDamaged] with what to do about a document.
func documentError(format string, args ...any) error {
	text := strings.TrimSuffix(fmt.Sprintf(format, args...), ": "+tracker.ErrDamaged.Error())
	return schema.Hint(fmt.Errorf("%s: %w", text, tracker.ErrDamaged),
		"do not rely on the document; get it again from its author")
}

func (v *Verification) add(verified bool, what, how string, args ...any) {
	v.Checks = append(v.Checks, documentCheck{what, verified, fmt.Sprintf(how, args...)})
	v.Proved = v.Proved && verified
}

// addRecords adds what was verified of the records, up to the head.
func (v *Verification) addRecords(o *openedEvidence) {
	v.add(true, "records", "%s of %d bytes have their digests, and shapes that the spec makes; of %d others the digests "+
		"are here", textfmt.CountOf(o.Contents.Records, "record"), o.Contents.Bytes, o.Others)
	links := 0
	for _, p := range v.Why.Chain {
		if p.What == "link" || p.What == "head" {
			links++
		}
		if p.What == "link" && p.Verified {
			continue
		}
		if p.What == "head" && p.Verified {
			v.add(true, "links", "%s lead from the spec to the head", textfmt.CountOf(links, "link"))
			continue
		}
		v.add(p.Verified, fmt.Sprintf("%s of iteration %d", p.What, p.K), "%s", p.How)
	}
}

// addText adds the comparison of the text with what this program writes, which differs from the
// given line on, if from any.
func (v *Verification) addText(line int) {
	switch {
	case line == 0:
		v.Text = textSame
		v.add(true, "text", "it is what podtrack writes about these records, byte by byte")
	case v.Program == programText():
		v.Text = textDifferent
		v.add(false, "text", "from line %d on it is not what podtrack writes about these records", line)
	default:
		v.Text = textUnknown
		v.add(false, "text", "not compared: it was written by %s, and this is %s", v.Program, programText())
	}
}

// Print prints what was verified, and with anyHead how to compare the head.
func (v *Verification) Print(w table.Text, anyHead bool) {
	w.Table(table.Of(v.Checks, table.Left("what").As("checked"), table.Left("verified"), table.Left("how").As("")))
	if !v.Proved {
		return
	}
	subject := "purpose " + v.Option
	if v.Number != nil {
		subject = fmt.Sprintf("option %d of run %.12s", *v.Number, v.Run)
	}
	fmt.Fprintf(w, "\nproved: %s and its evidence belong to the head\n%s\n", subject, v.Head)
	if anyHead {
		fmt.Fprintln(w, "Is that the head of the run that you mean? --expect HEAD compares it.")
	}
}

// Verdict returns an error unless all is proved. A document of another podtrack of which nothing but
// the text is in doubt cannot be verified here.
func (v *Verification) Verdict() error {
	wrong := slices.DeleteFunc(slices.Clone(v.Checks), func(x documentCheck) bool {
		return x.Verified || x.What == "text" && v.Text == textUnknown
	})
	switch {
	case v.Proved:
		return nil
	case len(wrong) == 0:
		return schema.Hint(fmt.Errorf("the text of %s %w; its records are proved", v.File, replay.ErrUnverifiable),
			"check it with %s, or read what --json says about the records", v.Program)
	case len(wrong) == 1 && wrong[0].What == "head":
		return schema.Hint(fmt.Errorf("%w: the document is about another head", cmdline.ErrDifference),
			"ask where the document, or the head, comes from")
	}
	unless := "" // a harmless reason for a text that differs although the program's version is the same
	if wrong[0].What == "text" && (strings.Contains(v.Program, "-dev") || strings.Contains(v.Program, dirtySuffix)) {
		unless = ", unless another build of unreleased sources wrote it"
	}
	return schema.Hint(fmt.Errorf("%w: %s: %s", cmdline.ErrDifference, wrong[0].What, wrong[0].How),
		"do not rely on the document%s; --json has what its records say", unless)
}
