package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Env names an environment and its parameters, which are integers or text. A parameter is content, never a
// path: a map is the text of its file, so a spec needs no other file.
type Env struct {
	Name    string            `cbor:"name" json:"name"`
	Version uint64            `cbor:"version" json:"version"`
	Params  map[string]int64  `cbor:"params" json:"params"`
	Text    map[string]string `cbor:"text,omitempty" json:"text,omitempty"`

	// External is the declaration of an environment in another process, nil for built-in environments.
	External *External `cbor:"external,omitempty" json:"external,omitempty"`
}

// External is the declaration of an environment in another process. Its parameters are in [Env.Text].
type External struct {
	Version  string      `cbor:"version" json:"version"`
	Actions  []string    `cbor:"actions" json:"actions"`
	Observes Observation `cbor:"observes" json:"observes"`
	Features []string    `cbor:"features" json:"features"` // none if observations are discrete
	Size     int64       `cbor:"size" json:"size"`         // number of features

	// Reward is true if each step has a reward. Rewards are recorded.
	Reward bool `cbor:"reward,omitempty" json:"reward,omitempty"`
}

// Observation is the kind of observation that an environment returns after each step.
type Observation string

// The kinds of observations.
const (
	Discrete Observation = "discrete" // a number below Size, which stands for one-hot features
	Binary   Observation = "binary"   // features of 0 or 1
	Real     Observation = "real"     // finite features
)

// HasReward reports whether each step of the environment has a reward.
func (e Env) HasReward() bool { return e.External != nil && e.External.Reward }

// EpisodeLimit returns the largest number of steps of an episode, or 0 if no parameter of the environment sets it.
func (e Env) EpisodeLimit() int64 {
	for _, name := range []string{"episode", "max_episode_steps"} {
		text, _ := e.Parameter(name)
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
			return n
		}
	}
	return 0
}

// Clone returns a copy of e with its own maps.
func (e Env) Clone() Env {
	e.Params, e.Text = maps.Clone(e.Params), maps.Clone(e.Text)
	return e
}

// IsVersionOf reports whether e and f are one environment in another process, perhaps in two versions of its program.
func (e Env) IsVersionOf(f Env) bool {
	if e.External == nil || f.External == nil {
		return false
	}
	x := *f.External
	x.Version, f.External = e.External.Version, &x
	return reflect.DeepEqual(e, f)
}

// Parameters returns the names of all parameters, in display order.
func (e Env) Parameters() []string {
	return slices.Sorted(slices.Values(slices.AppendSeq(slices.Collect(maps.Keys(e.Params)), maps.Keys(e.Text))))
}

// Parameter returns a parameter as text, and whether the environment has it. For a text of several lines it
// returns the first digits of its SHA-256.
func (e Env) Parameter(name string) (string, bool) {
	if v, ok := e.Params[name]; ok {
		return strconv.FormatInt(v, 10), true
	}
	text, ok := e.Text[name]
	if strings.Contains(text, "\n") {
		sum := sha256.Sum256([]byte(text))
		text = hex.EncodeToString(sum[:6])
	}
	return text, ok
}
