package warnings

import "github.com/podtrack/podtrack/tracker"

// A Kind is the kind of a warning.
type Kind string

// The kinds of warnings.
const (
	NothingChanges Kind = "nothing_changes" // every row of D is 0
	NoDirection    Kind = "no_direction"    // no direction passes κ
	SmallFeatures  Kind = "small_features"  // features that change too little for κ, beside others that do not
	NoRecurrence   Kind = "no_recurrence"   // nearly every step leads to a new state
	NeverCalled    Kind = "never_called"    // options are available, and none was called
	NeverEnd       Kind = "never_end"       // most steps are of calls that are truncated and do not end by themselves
	FewerStates    Kind = "fewer_states"    // options take most steps, and fewer states are visited than without
	NotRepeatable  Kind = "not_repeatable"  // the first steps differ in a second process; found by a recheck
)

// Rechecked returns the warning that the latest recheck of a run's environment gives, nil if there is none.
func Rechecked(sessions []tracker.Session) (found []Warning) {
	for _, s := range sessions {
		if s.Code == nil {
			continue
		}
		for _, p := range s.Code.Programs {
			switch {
			case p.Recheck == nil:
			case p.Recheck.Differs == "":
				found = nil
			default:
				found = []Warning{{Kind: NotRepeatable, Recheck: p.Recheck, Remedies: []Remedy{{}}}}
			}
		}
	}
	return found
}

// A Warning is a fact about a run that its user should know.
type Warning struct {
	Kind       Kind `json:"kind"`
	K          int  `json:"k"`          // latest iteration in which it was found; the numbers are of that one
	Iterations int  `json:"iterations"` // in which it was found
	Of         int  `json:"of"`         // iterations in which it could be

	Direction *Direction `json:"direction,omitempty"`
	Features  []Feature  `json:"features,omitempty"` // that change, the least first
	States    *States    `json:"states,omitempty"`
	Calls     *Calls     `json:"calls,omitempty"`

	Recheck *tracker.Recheck `json:"recheck,omitempty"` // of [NotRepeatable]

	Remedies []Remedy `json:"remedies"`
	Text     string   `json:"text"` // in words, set by the program
}

// Direction says why no direction became options.
type Direction struct {
	Symbol  string  `json:"symbol"`  // of what is compared with κ, such as σ
	Largest float64 `json:"largest"` // of all directions
	Kappa   float64 `json:"kappa"`
}

// Feature is the scale of a feature.
type Feature struct {
	Name string  `json:"name"`
	RMS  float64 `json:"rms"` // root mean square of its changes over the steps

	most float64 // largest change
}

// States says how often states recur.
type States struct {
	Steps   int64 `json:"steps"`
	Visited int64 `json:"visited"` // distinct ones in iteration K
	Before  int64 `json:"before"`  // the same without options, in iteration 0
}

// Calls says how calls of options ended.
type Calls struct {
	Available  int64   `json:"available"`   // options in the action set
	Calls      int64   `json:"calls"`       // that were examined
	Steps      int64   `json:"steps"`       // whose calls were examined
	Ended      int64   `json:"ended"`       // in a state in which the option terminates
	AtLimit    int64   `json:"at_limit"`    // after max_option_steps
	AtEpisode  int64   `json:"at_episode"`  // at the end of an episode
	MeanLength float64 `json:"mean_length"` // steps
	Share      float64 `json:"share"`       // of the iteration's steps that are of options
	Limit      int64   `json:"limit"`       // max_option_steps
	Episode    int64   `json:"episode"`     // steps of the longest truncated episode, 0 if none was
	Examined   int64   `json:"examined"`    // options whose initiation set was examined
	Empty      int64   `json:"empty"`       // of these, options with an empty initiation set
}

// A Remedy is a change to try.
type Remedy struct {
	Field string `json:"field"` // of a spec; empty for a change of the environment's features
	Value string `json:"value"`

	// Keeps is the number of directions that a κ would have kept, or the largest number of options that a selection
	// keeps; 0 for other fields.
	Keeps int    `json:"keeps,omitempty"`
	Text  string `json:"text"` // in words, set by the program
}
