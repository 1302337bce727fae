package figure

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// captionedRun returns a run of the paper's spec with a seed and a head.
func captionedRun(name string, seed uint64) report.Run {
	spec := pod.PaperSpec()
	spec.Seed = seed
	head := schema.Digest{0xab, byte(seed)}
	return report.Run{Name: name, Spec: spec, Seed: seed, Reading: spec.Reading(), Iterations: 2, Head: &head}
}

// TestCaption: a caption has the notes of the picture and the runs behind it.
func TestCaption(t *testing.T) {
	one := WithRuns(drawn()["coverage"], captionedRun("a", 7))
	const want = "Distinct states visited by a, against steps. The environment has 8 states. Run a (head ab0700000000, " +
		"2 iterations): env=ring bits=12 hide=0 seed=7 steps=1000 kappa=1 gamma=0.99 reading=as-written."
	if got := captionOf(one); got != want {
		t.Errorf("the caption is %s", got)
	}
	var many []report.Run
	for i := range 15 {
		many = append(many, captionedRun(fmt.Sprintf("r%d", i), uint64(15-i)))
	}
	many[14].Spec.Seed, many[0].Spec.Kappa = 100, 2
	got := captionOf(WithRuns(drawn()["measures"], many...))
	for _, part := range []string{"groups, with n runs in parentheses: kappa 1 (0) and kappa 2 (0).",
		"bands are 95 % intervals of each mean (Student's t).",
		" 15 runs (their heads a965a0192f10) that differ in seed (2–15, 100) and kappa (2, 1): env=ring bits=12 hide=0 " +
			"steps=1000 gamma=0.99 reading=as-written.",
	} {
		if !strings.Contains(got, part) {
			t.Errorf("no %q in the caption %s", part, got)
		}
	}
}

// TestCaptionIsWhole: whatever its runs are called and have in common, a caption has all words of the figure's own, one
// head or one digest of heads, each shared setting, and no ellipsis.
func TestCaptionIsWhole(t *testing.T) {
	figures := drawn()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-zσ日]{1,60}( [a-z]{1,60})?`)
		var runs []report.Run
		for i := range rapid.IntRange(1, 40).Draw(t, "runs") {
			r := captionedRun(word.Draw(t, "name"), uint64(i*i))
			r.Spec.Env.Params = map[string]int64{"bits": 12, "hide": 0}
			for range rapid.IntRange(0, 20).Draw(t, "parameters") {
				r.Spec.Env.Params[word.Draw(t, "parameter")] = int64(i)
			}
			runs = append(runs, r)
		}
		for name, f := range figures {
			own, caption := captionOf(f), captionOf(WithRuns(f, runs...))
			if !strings.HasPrefix(caption, own+" ") || !strings.HasSuffix(caption, ".") || strings.Contains(caption, "…") ||
				!strings.Contains(caption, " steps=1000 kappa=1 gamma=0.99") ||
				strings.Count(caption, "(head ")+strings.Count(caption, "(their heads ") != 1 {
				t.Errorf("%s: %s", name, caption)
			}
		}
	})
	long := captionedRun(strings.Repeat("x", 300), 1)
	if got := captionOf(WithRuns(figures["coverage"], long)); !strings.Contains(got, strings.Repeat("x", 300)+" (head") {
		t.Errorf("a name is not whole: %s", got)
	}
}

// TestCaptions: each figure has a caption of sentences, which its SVG and its PDF have, too.
func TestCaptions(t *testing.T) {
	for name, f := range drawn() {
		caption := captionOf(f)
		if !strings.HasSuffix(caption, ".") || strings.Contains(caption, "..") || strings.Contains(caption, "  ") ||
			strings.HasPrefix(caption, " ") {
			t.Errorf("the caption of %s is %q", name, caption)
		}
		if svg := render(t, f, "svg", "light"); bytes.Count(svg, []byte("<desc>")) != 1 {
			t.Errorf("the SVG of %s has no caption", name)
		}
		if pdf := render(t, f, "pdf", "light"); !bytes.Contains(pdf, []byte("/Subject "+inPDF(chart.Printable(caption)))) {
			t.Errorf("the PDF of %s has no caption", name)
		}
		if text := render(t, f, "txt", "light"); string(text) != chart.Printable(caption)+"\n" {
			t.Errorf("the text of %s is %q", name, text)
		}
	}
}

// TestLaTeX: nothing in a caption is a command of LaTeX's, and letters that it does not have are commands.
func TestLaTeX(t *testing.T) {
	for text, want := range map[string]string{
		`50 % of a_b & {c} #1 \input $x^2~`: `\caption{50\,\% of a\_b \& \{c\} \#1 \textbackslash{}input ` +
			`\$x\textasciicircum{}2\textasciitilde{}}`,
		"|cos_M| of σ − κ": `\caption{$|\cos_M|$ of $\sigma$ $-$ $\kappa$}`,
		"a\nb":             `\caption{a\textbackslash{}nb}`,
	} {
		if got := latex(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
	for name, f := range drawn() {
		for _, r := range latex(captionOf(f)) {
			if r > 0x17f { // what LaTeX's fonts have by themselves
				t.Errorf("the caption of %s has %q", name, r)
			}
		}
	}
}
