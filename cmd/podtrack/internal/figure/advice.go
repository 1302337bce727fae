package figure

import "github.com/podtrack/podtrack/schema"

// Advice of this package's errors.
const (
	AdviceFewerPixels   schema.Advice = "give a lower resolution, or make an SVG or a PDF, which have no pixels"
	AdviceFewerGroups   schema.Advice = "choose fewer groups"
	AdviceFewerRows     schema.Advice = "choose fewer runs, or write the numbers as CSV"
	AdviceFewerRuns     schema.Advice = "choose fewer runs, or draw groups"
	AdviceHigher        schema.Advice = "give a greater height, or no title; a wider picture needs fewer lines of text"
	AdviceLaterOptions  schema.Advice = "choose an option of a later iteration"
	AdviceLower         schema.Advice = "give a height, draw less at once, or write the numbers as CSV"
	AdviceMoreRuns      schema.Advice = "choose more runs"
	AdvicePlotCoverage  schema.Advice = "draw the run's coverage"
	AdvicePlotPurposes  schema.Advice = "draw the run's purposes"
	AdvicePlotSpectrum  schema.Advice = "draw the run's spectrum, with σ and κ"
	AdviceResume        schema.Advice = "resume the run"
	AdviceSelectedBoth  schema.Advice = "choose runs that selected purposes in the same iterations"
	AdviceWider         schema.Advice = "give a greater width"
	AdviceWithoutStates schema.Advice = "draw what needs no states: the spectrum or the purposes"
)
