// Package collect is podtrack's own: an agent, the [Collector], acts with the primitive actions and the options of an
// [OptionSet], and [TransitionStats] computes from its steps the statistics that later stages and the measures need.
package collect
