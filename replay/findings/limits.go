package findings

// What decides whether something is a finding. The numbers are chosen so that the paper's experiment, the runs of the
// study and those of the guides have none that is not worth reading.
const (
	fewestSteps  = 200  // of an iteration in which states could have recurred
	newStates    = 0.9  // share of the steps that lead to states that the iteration had not visited
	longCalls    = 0.25 // share of the steps in options from which on it is counted how they end
	mostlyCalls  = 0.5  // share of the steps in options that makes them the cause of what is visited
	fewestCalls  = 5    // that are to be expected before it is told that there are none
	fewestEnds   = 2    // of calls in iterations of fewer steps than fewestSteps
	turnedOff    = 1e9  // κ from which on no direction is meant to pass
	fewOptions   = 16   // of which it is looked at where they can start
	fewestStates = 20   // without options, from which on fewer are worth telling
)
