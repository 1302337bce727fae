package schema

// Shares of an iteration and of an episode that a call of an option takes at most by [AutoOptionSteps].
const (
	callsPerIteration = 20
	callsPerEpisode   = 5
)

// AutoOptionSteps returns a limit on the steps of a call for options of which nobody knows whether they end: an
// iteration of n_R steps then has room for 20 calls and an episode for 5. No episode is longer than the given number of
// steps, 0 if that is not known. It is at least 2, and at most the default.
func AutoOptionSteps(steps, episode int64) int64 {
	n := steps / callsPerIteration
	if episode > 0 {
		n = min(n, episode/callsPerEpisode)
	}
	return min(max(n, 2), DefaultMaxOptionSteps)
}
