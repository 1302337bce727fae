package api

import (
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/why"
)

// acts returns where an option starts and ends, in words, too, and what it does in a state: the same as in why, without
// the rest of the audit.
func (s *server) acts(r *request) (reply.Answer, error) {
	f, err := s.findOption(r)
	if err != nil {
		return reply.Answer{}, err
	}
	q := why.Question{Ref: f.ref}
	if q.State, err = askedState(r); err != nil {
		return reply.Answer{}, err
	}
	extent, state, err := why.FindExtent(r.Context(), f.run, q)
	if err != nil {
		return reply.Answer{}, err
	}
	return reply.JSON(struct {
		Text string `json:"text"`
		*why.Extent
		State *why.State `json:"state,omitempty"`
	}{describeActs(extent, stateNamer(f.run.Env)), extent, state})
}

// stateNamer returns a function that names states as the page does: by their place on a map, or else by their place on
// the axis.
func stateNamer(env envs.Env) func(int) string {
	if plane, ok := envs.As[envs.Plane](env); ok {
		return plane.Plan().StateName
	}
	axis, n := palette.StateAxis(env), env.States()
	return func(s int) string { return "state " + palette.Whole(axis.PlaceOf(s, n)) }
}

// describeActs returns one or two sentences with where an option starts and where it ends.
func describeActs(e *why.Extent, name func(int) string) string {
	c, states := e.Certificate, palette.Whole(e.States)
	if c.Null && e.Start != nil {
		return fmt.Sprintf("Never acts: it would start in %s alone of %s states, but ends there.", name(*e.Start), states)
	}
	if c.Null {
		return fmt.Sprintf("Never acts: in none of %s states an action is worth more than the tolerance, so it can "+
			"start nowhere.", states)
	}
	text := fmt.Sprintf("Starts in %s of %s states", palette.Whole(int(c.Initiation)), states)
	if e.Start != nil {
		text = fmt.Sprintf("Starts in %s alone of %s states", name(*e.Start), states)
	}
	text += describeEnds(e, name)
	if e.Likely && e.DistinctEnd > 0 {
		text += " where its moves go most likely"
	}
	if c.Reach != nil {
		text += fmt.Sprintf("; %.1f steps on average", *c.Reach)
	}
	switch {
	case e.Never > 0 && e.Likely:
		text += fmt.Sprintf(". By the likeliest outcomes it does not end from %s of them", palette.Whole(e.Never))
	case e.Never > 0 && e.DistinctEnd > 0:
		text += fmt.Sprintf(". From %s of them it ends only when a call is truncated", palette.Whole(e.Never))
	}
	return text + "."
}

// describeEnds returns where an option ends that starts somewhere, as the end of a sentence.
func describeEnds(e *why.Extent, name func(int) string) string {
	switch {
	case e.DistinctEnd == 0 && e.Likely:
		return ""
	case e.DistinctEnd == 0:
		return " and ends only when a call is truncated"
	}
	first, ends := e.Ends[0], palette.Whole(e.DistinctEnd)
	switch most := palette.Whole(first.From); {
	case e.DistinctEnd == 1:
		return " and ends in " + name(first.State)
	case 2*int64(first.From) > e.Certificate.Initiation:
		return fmt.Sprintf(", goes to %s (from %s of them) and ends in %s states in all", name(first.State), most, ends)
	case first.From == 1:
		return fmt.Sprintf(" and ends in %s states, each reached from one start", ends)
	default:
		return fmt.Sprintf(" and ends in %s states, each reached from at most %s starts", ends, most)
	}
}
