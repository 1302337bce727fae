package report

import "github.com/podtrack/podtrack/schema"

// Advice of this package's errors.
const (
	AdviceAskIteration   schema.Advice = "ask about the run, or for the iteration's options"
	AdviceAskOption      schema.Advice = "ask about the run, or why the option is there"
	AdviceChangeTerm     schema.Advice = "change a term"
	AdviceListFilter     schema.Advice = "list what the filter finds"
	AdviceListRejected   schema.Advice = "list the options, and why the others were rejected"
	AdviceNameIteration  schema.Advice = "name an iteration"
	AdviceNameOption     schema.Advice = "name an option"
	AdviceNoOptions      schema.Advice = "see what the run has in place of options"
	AdviceOptionRange    schema.Advice = "list the options with their numbers"
	AdvicePattern        schema.Advice = "use the names of runs; ? stands for any character"
	AdviceRefForms       schema.Advice = "write RUN:K for an iteration, RUN:#N or RUN:K/J+ for an option"
	AdviceMakeRun        schema.Advice = "make a run"
	AdviceSelectRuns     schema.Advice = "select runs that are in the store"
	AdviceSimilar        schema.Advice = "there is a similar name"
	AdviceWriteIteration schema.Advice = "write the reference of an iteration"
	AdviceWriteOption    schema.Advice = "write the reference of an option"
)
