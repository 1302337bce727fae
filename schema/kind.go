package schema

// A Kind is the kind of a record.
type Kind string

// The kinds of records, in the order in which an iteration makes them.
const (
	KindObservations Kind = "observations"
	KindTransitions  Kind = "transitions"
	KindRewards      Kind = "rewards"
	KindRows         Kind = "rows"
	KindFactors      Kind = "factors"
	KindSelection    Kind = "selection"
	KindValue        Kind = "value"
	KindTheta        Kind = "theta"
	KindOption       Kind = "option"
	KindMeasures     Kind = "measures"

	KindExternalMeasures Kind = "external_measures"
)

// KindEvaluation is the kind of records that refer to an iteration but are not part of it.
const KindEvaluation Kind = "evaluation"

// Kinds are all kinds that this program knows.
var Kinds = []Kind{KindObservations, KindTransitions, KindRewards, KindRows, KindFactors, KindSelection, KindValue,
	KindTheta, KindOption, KindMeasures, KindExternalMeasures, KindEvaluation}
