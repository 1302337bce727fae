package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/runview"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/document"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/hints"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// render returns the text of the document. It depends only on the evidence.
func (o *openedEvidence) render(ctx context.Context, evidence Evidence) ([]byte, error) {
	r := o.report
	title := fmt.Sprintf("Where eigenpurpose %s comes from", r.Option)
	if r.Number != nil {
		title = fmt.Sprintf("Where option %d of run %.12s comes from", *r.Number, r.Run)
	}
	page := document.New(signature, title)
	page.All = "podtrack check FILE --json"
	o.printSummary(page, evidence)
	if err := PrintSections(ctx, page, r, o.Opened, o.Ref); err != nil {
		return nil, err
	}
	records, err := o.Records(ctx)
	if err != nil {
		return nil, err
	}
	page.StartSection("Evidence")
	fmt.Fprintf(page, "This file contains %s of the run, and the digests of the other %s.\n",
		textfmt.CountOf(o.Contents.Records, "record"), textfmt.CountOf(o.Others, "record"))
	table.Text{Writer: page}.Table(table.Of(records, table.Right("k"), table.Left("kind").As("record"),
		table.Right("bytes"), table.Left("digest")))
	page.StartSection("How to verify this document")
	page.Command(fmt.Sprintf("podtrack check FILE%s --expect %s", Ending, o.Head()))
	for _, line := range verificationTexts(o.report, o.Contents.Run) {
		fmt.Fprintln(page, line)
	}
	if err := o.printSpecs(page); err != nil {
		return nil, err
	}
	return page.Text(), nil
}

// printSummary prints the subject of the document: the option, its run, and the evidence.
func (o *openedEvidence) printSummary(page *document.Page, evidence Evidence) {
	fmt.Fprintln(page, "An audit of one option of POD (Machado & Bowling 2016): its eigenpurpose, the data that it was "+
		"computed from, and the chain of digests from them to the head of its run. This file contains the records that "+
		"prove it.")
	table.Text{Writer: page}.Table(table.Of([]struct{ Label, Text string }{
		{"option", o.report.Option},
		{"run", o.Contents.Run.ID.String()},
		{"head", fmt.Sprintf("%s, of %d iterations", o.Head(), len(o.Iterations))},
		{"written by", fmt.Sprintf("%s, numerics %d of the run", o.Program, o.Contents.Run.Spec.Numerics)},
		{"settings", runview.SpecText(o.Contents.Run.Spec)},
		{"evidence", fmt.Sprintf("%d bytes, SHA-256 %s", evidence.Bytes, evidence.SHA256)},
	}, table.Left("Label").As(""), table.Left("Text").As("")))
}

// PrintSections writes what an audit of an option found, with figures, each part under its heading.
func PrintSections(ctx context.Context, page *document.Page, r *why.Report, run *recorded.Records,
	ref report.Ref) error {
	source := figure.Source{Records: run, K: ref.K}
	for _, s := range whySections {
		if s.heading == "" {
			continue // the section needs the store
		}
		page.StartSection(s.heading)
		s.print(table.Text{Writer: page}, r)
		var err error
		switch {
		case s.stage == why.StagePurpose && s.heading == whySections[0].heading:
			err = drawPurpose(ctx, page, source, ref)
		case s.stage == why.StageActs && r.Acts != nil:
			var f figure.Figure
			if f, err = figure.ReadOption(source, ref, figure.MaxBins(document.StyleOf(1, chart.Themes[0]))); err == nil {
				err = page.Figures(document.Drawn{Figure: f,
					Caption: "The option: the value of each state, and the option's action there."})
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// drawPurpose draws an eigenpurpose and the singular values of its iteration.
func drawPurpose(ctx context.Context, page *document.Page, source figure.Source, ref report.Ref) error {
	purpose, err := figure.ReadEigenpurpose(source, ref)
	if err != nil {
		return err
	}
	caption := "The eigenpurpose: the weight of each feature."
	if purpose.Plan != nil {
		caption = "The eigenpurpose on the map: w(s) of each cell. The reward of a step is the increase of w."
	}
	spectrum, err := figure.ReadSpectrum(ctx, source)
	if err != nil {
		return err
	}
	return page.Figures(document.Drawn{Figure: purpose, Caption: caption},
		document.Drawn{Figure: spectrum, Caption: fmt.Sprintf("The singular values of D in iteration %d.", ref.K)})
}

// verificationTexts returns paragraphs that say what podtrack check proves about a document, and
// what it does not prove.
func verificationTexts(r *why.Report, run tracker.Run) []string {
	texts := []string{
		"The command needs podtrack and this file, but neither a store nor a network. It verifies the digests of the " +
			"records and the links from the spec to the head, computes the chain above again, and compares this text, byte " +
			"by byte, with the text that podtrack writes for the records.",
		"The head identifies the whole run. Compare it with a head from another source, such as a paper: anybody can " +
			"make a document about another run.",
	}
	if r.Acts != nil {
		texts = append(texts, "The command verifies that the policy is greedy for the values. It does not learn the "+
			"values again.")
	}
	switch {
	case run.Spec.Env.External != nil:
		texts = append(texts, "Not proved here: that the environment, another process, answered as recorded.")
	case !run.Spec.Data.IsZero():
		texts = append(texts, "Not proved here: where the data come from. They were recorded elsewhere.")
	case run.Spec.Stages != nil:
		var needs []string
		for _, l := range r.Levels {
			needs = append(needs, l.Needs)
		}
		texts = append(texts, "Not proved here: that the programs of the external stages computed what is recorded. With "+
			"these programs and the store, it can be computed again: podtrack replay RUN "+hints.ProgramFlags(needs)+".")
	case run.Start != nil:
		texts = append(texts, "Not computed again: the agent's walk. It follows from the specs of the fork and of its "+
			"ancestors.")
	default:
		texts = append(texts, "Not computed again: the agent's walk. The whole run can be computed again from its spec "+
			"alone: podtrack run --spec FILE --expect HEAD.")
	}
	return texts
}

// printSpecs prints the specs of the run, and of the ancestors of a fork.
func (o *openedEvidence) printSpecs(page *document.Page) error {
	run := o.Contents.Run
	from := 0
	for _, a := range run.AncestorsBefore(len(o.Iterations)) {
		var lines bytes.Buffer
		e := json.NewEncoder(&lines)
		e.SetIndent("", "  ")
		if err := e.Encode(a.Spec); err != nil {
			return err
		}
		summary := "The spec of the run"
		if len(run.Ancestors) > 0 {
			summary = fmt.Sprintf("The spec of iterations %d to %d", from, a.Until-1)
		}
		from = a.Until
		page.Details(summary, lines.String())
	}
	return nil
}
