package figure

import "github.com/podtrack/podtrack/schema"

// Advice of this package's errors.
const (
	AdviceFewerGroups   schema.Advice = "choose fewer groups"
	AdviceFewerRows     schema.Advice = "choose fewer runs, or write the numbers as CSV"
	AdviceFewerRuns     schema.Advice = "choose fewer runs, or draw groups"
	AdviceLaterOptions  schema.Advice = "choose an option of a later iteration"
	AdviceMoreRuns      schema.Advice = "choose more runs"
	AdvicePlotCoverage  schema.Advice = "draw the run's coverage"
	AdvicePlotPurposes  schema.Advice = "draw the run's purposes"
	AdvicePlotSpectrum  schema.Advice = "draw the run's spectrum, with σ and κ"
	AdviceResume        schema.Advice = "resume the run"
	AdviceSelectedBoth  schema.Advice = "choose runs that selected purposes in the same iterations"
	AdviceWithoutStates schema.Advice = "draw what needs no states: the spectrum or the purposes"
)
