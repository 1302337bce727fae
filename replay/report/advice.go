package report

import "github.com/podtrack/podtrack/schema"

// Advice of this package's errors.
const (
	AdviceAskIteration schema.Advice = "ask about the run, or for the iteration's options"
	AdviceAskOption    schema.Advice = "ask about the run, or why the option is there"
	AdviceChangeTerm   schema.Advice = "change a term"
	AdviceListFilter   schema.Advice = "list what the filter finds"
	AdviceNameOption   schema.Advice = "name an option"
	AdviceNoOptions    schema.Advice = "see what the run has in place of options"
	AdviceOptionNumber schema.Advice = "write RUN:#N, N counted from 0"
	AdviceOptionRange  schema.Advice = "list the options with their numbers"
	AdviceOptionRef    schema.Advice = "write RUN:K/J+ or RUN:K/J-, J counted from 1"
	AdvicePattern      schema.Advice = "use the names of runs; ? stands for any character"
	AdviceSimilar      schema.Advice = "there is a similar name"
	AdviceSelectRuns   schema.Advice = "select runs that are in the store"
)
