package sweep

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
)

const (
	fileVersion = 1
	maxFile     = 256 << 20 // bytes; a spec takes about 400
)

// planJSON is a plan as JSON. Specs have the form that show --spec prints.
type planJSON struct {
	Version    int                `json:"sweep"`
	Specs      []json.RawMessage  `json:"specs"`
	Seeds      runset.Seeds       `json:"seeds"`
	Iterations int                `json:"iterations"`
	Name       string             `json:"name"`
	Tags       []string           `json:"tags"`
	Keep       *tracker.Retention `json:"keep"`
	Study      *runset.Study      `json:"study,omitempty"`
}

// Marshal returns the canonical JSON of the plan.
func (p *Plan) Marshal() ([]byte, error) {
	f := planJSON{
		Version: fileVersion, Seeds: p.Seeds, Iterations: p.Iterations, Name: p.Name, Tags: p.Tags, Keep: p.Keep,
		Study: p.Study,
	}
	for _, spec := range p.Specs {
		text, err := json.Marshal(spec)
		if err != nil {
			return nil, err
		}
		f.Specs = append(f.Specs, text)
	}
	text, err := json.MarshalIndent(f, "", " ")
	return append(text, '\n'), err
}

// ID returns a short name for the plan: twelve hexadecimal digits of the SHA-256 of its JSON.
func (p *Plan) ID() (string, error) {
	text, err := p.Marshal()
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6]), err
}

// readPlan reads a plan and checks it.
func readPlan(ctx context.Context, r io.Reader) (*Plan, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, err
	}
	p, err := parsePlan(text)
	if err == nil {
		err = p.Check(ctx)
	}
	return p, err
}

func parsePlan(text []byte) (*Plan, error) {
	if len(text) > maxFile {
		return nil, fmt.Errorf("%w: more than %d bytes", runset.ErrPlan, maxFile)
	}
	var f planJSON
	if err := wire.DecodeJSON(text, &f); err != nil {
		return nil, fmt.Errorf("%w: %w", runset.ErrPlan, err)
	}
	if f.Version != fileVersion {
		return nil, schema.Hint(fmt.Errorf("%w: its version is %d", runset.ErrPlan, f.Version),
			"this program knows version %d", fileVersion)
	}
	p := &Plan{
		Plan: runset.Plan{Seeds: f.Seeds, Iterations: f.Iterations, Study: f.Study}, Name: f.Name, Tags: f.Tags, Keep: f.Keep,
	}
	for i, text := range f.Specs {
		var spec schema.Spec
		if err := spec.ReadJSON(bytes.NewReader(text)); err != nil {
			return nil, fmt.Errorf("%w: spec %d: %w", runset.ErrPlan, i, err)
		}
		p.Specs = append(p.Specs, spec)
	}
	return p, nil
}
