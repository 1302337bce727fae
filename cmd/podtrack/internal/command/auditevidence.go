package command

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/proof"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/tempfile"
	"github.com/urfave/cli/v2"
)

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
	discard := func() { _ = place.Remove() }
	store := tracker.New(place.ContentPath(), tracker.Options{})
	if err = store.Initialize(); err == nil {
		var o *openedEvidence
		if o, err = explainEvidence(c, r, store); err == nil {
			o.discard = discard
			return o, nil
		}
	}
	discard()
	return nil, err
}

func explainEvidence(c *cli.Context, r io.Reader, store *tracker.Store) (*openedEvidence, error) {
	e, err := proof.Open(c.Context, r, store)
	if err != nil {
		return nil, err
	}
	bar := cmdline.StartLateBar(c.App.ErrWriter, "audit", why.Stages)
	defer bar.End()
	found, err := e.Explain(c.Context, func(s why.Stage) { bar.Begin(int(s), s.String()) })
	return &openedEvidence{Evidence: e, report: found}, err
}

// develVersion is the version of a program that was built without one.
const develVersion = "(devel)"

// programText names this program as far as it decides how a document's text comes out: digits may
// differ in the last place on another processor.
func programText() string {
	v := replay.CurrentVersions()
	return fmt.Sprintf("podtrack %s, %s %s", cmp.Or(v.Version, develVersion), v.Arch, v.Level)
}
