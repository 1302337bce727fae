// Package collect is podtrack's own: an agent, the [Collector], acts with the primitive actions and the options of an
// [OptionSet], and [TransitionStats] counts of its steps what the later stages and the measures need.
package collect
