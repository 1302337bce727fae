package replay

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// An Option is a recorded option with the values that it was made from. The embedded [schema.Option] has its purpose,
// its policy (an action for each state, [schema.Terminate] where it ends) and its certificate.
type Option struct {
	schema.Option
	K      int           // iteration that made it; it is available from K+1 on
	Number int           // in the run, from 0
	Record schema.Digest // of the option

	Values schema.Value  // v: discounted intrinsic reward expected from each state
	Theta  *schema.Theta // weights of a linear learner, from which Values follow; nil with others
}

// String returns the option as references write it, such as 0/4-.
func (o Option) String() string {
	sign := "+"
	if o.Purpose.Sign < 0 {
		sign = "-"
	}
	return fmt.Sprintf("%d/%d%s", o.K, o.Purpose.J, sign)
}

// Initiation returns the states in which the option can start, ascending.
func (o Option) Initiation() (states []int) {
	for s := range o.Policy {
		if o.CanStart(s) {
			states = append(states, s)
		}
	}
	return states
}

// Options returns the options that iteration k made, in the order of their numbers. They cover the
// states that were known after the iteration.
func (r *Run) Options(ctx context.Context, k int) ([]Option, error) {
	records, err := r.iteration(ctx, k)
	if err != nil {
		return nil, err
	}
	env, err := records.EnvAfter(k)
	if err != nil {
		return nil, records.WrapError(k, err)
	}
	var options []Option
	listed := recorded.ListLearned(records.Iterations[k])
	for i, name := range records.Iterations[k].RecordsOf(schema.KindOption) {
		o := Option{K: k, Number: records.FirstNumber(k) + i, Record: name}
		err := records.View(func(tx *tracker.Tx) error {
			own, learned, err := listed.Load(tx, env, i)
			if err != nil {
				return err
			}
			o.Option, o.Values = *own, learn.StateValues(env, own, learned)
			if theta, linear := learned.(schema.Theta); linear {
				o.Theta = &theta
			}
			return nil
		})
		if err != nil {
			return nil, records.WrapError(k, err)
		}
		options = append(options, o)
	}
	return options, nil
}

// Build describes this program and the machine it runs on. It is recorded beside a run and enters
// no digest.
type Build struct {
	Version  string            `json:"version"`
	Go       string            `json:"go"`
	OS       string            `json:"os"`
	Arch     string            `json:"arch"`
	Level    string            `json:"level"` // GOAMD64, GOARM64
	Revision string            `json:"revision"`
	Dirty    bool              `json:"dirty"`
	Modules  map[string]string `json:"modules"`
}

// readBuild returns podtrack's version and what the Go toolchain recorded in the binary. That includes a version of the
// main module, which may be another program.
func readBuild() Build {
	b := Build{Version: schema.Version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Modules: map[string]string{}}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, m := range info.Deps {
		b.Modules[m.Path] = m.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "GOAMD64", "GOARM64":
			b.Level = s.Value
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Dirty = s.Value == "true"
		}
	}
	return b
}

// Versions holds the versions of the program, its store format and its numerics.
type Versions struct {
	Build
	Format   int `json:"format"`   // newest store format that it reads and writes
	Numerics int `json:"numerics"` // the numerics version that it computes
}

// CurrentVersions returns the versions of this program.
func CurrentVersions() Versions {
	return Versions{Build: readBuild(), Format: schema.FormatVersion, Numerics: schema.NumericsVersion}
}
