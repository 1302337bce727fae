// Made from the definitions of measures by go test ./cmd/podtrack/internal/web -run Palette -update.

export interface Described {
  title: string;
  unit: string;
  meaning: string;
  digits: number;
}

export const recordedMeasures = {
  purposes: { title: "purposes", unit: "", meaning: "how many directions were selected, not doubled for the sign", digits: 2 },
  options: { title: "options", unit: "", meaning: "how many options the iteration made", digits: 2 },
  available: { title: "available", unit: "options", meaning: "how many options were in its action set", digits: 2 },
  calls: { title: "calls", unit: "", meaning: "how often the agent called an option", digits: 2 },
  truncated: { title: "truncated", unit: "calls", meaning: "calls truncated by the end of the iteration", digits: 2 },
  option_length: { title: "option length", unit: "steps", meaning: "mean number of steps executed in a call, truncated calls included", digits: 2 },
  reach: { title: "mean steps", unit: "steps", meaning: "mean steps to termination: of each available option over its I, averaged over the options", digits: 2 },
  distance: { title: "distance", unit: "steps", meaning: "the farthest that the agent was from its first state: on a ring in steps either way, on a grid along the shortest path", digits: 2 },
  final: { title: "final", unit: "steps", meaning: "the distance of the last state from the first", digits: 2 },
  distance_one_sided: { title: "one-sided", unit: "steps", meaning: "on a ring: the farthest to the right of the first state", digits: 2 },
  states_visited: { title: "states", unit: "", meaning: "distinct states visited, the first one included", digits: 2 },
};

export const explorationMeasures = {
  covered: { title: "covered", unit: "states", meaning: "distinct states that the run visited, in earlier iterations too", digits: 2 },
  covered_share: { title: "covered share", unit: "", meaning: "covered, as a share of the states that can be reached from where the run or an episode begins; undefined where their number is not known, as of an environment in another process", digits: 3 },
  new_states: { title: "new states", unit: "", meaning: "states that the run first visited in the iteration; their sum over the iterations is covered", digits: 2 },
  entropy: { title: "entropy", unit: "bits", meaning: "of the visits of the iteration, in bits: −Σ p log₂ p over the states, p being a state's share of the visits (Shannon 1948; what Hazan et al., Provably Efficient Maximum Entropy Exploration, 2019, maximise)", digits: 2 },
  entropy_normalised: { title: "normalised entropy", unit: "", meaning: "entropy, divided by log₂ of the number of states that can be reached: 1 if all are visited equally often", digits: 3 },
  steps_to_quarter: { title: "steps to a quarter", unit: "steps", meaning: "steps of the run until a quarter of the states that can be reached were visited (a partial cover time); of a run undefined up to the iteration in which that happens. In groups a run that has not got so far counts as the budget", digits: 2 },
  steps_to_half: { title: "steps to half", unit: "steps", meaning: "steps of the run until half of the states that can be reached were visited (a partial cover time); of a run undefined up to the iteration in which that happens. In groups a run that has not got so far counts as the budget", digits: 2 },
  steps_to_all: { title: "steps to all", unit: "steps", meaning: "steps of the run until all of the states that can be reached were visited (a partial cover time); of a run undefined up to the iteration in which that happens. In groups a run that has not got so far counts as the budget", digits: 2 },
  end_sets: { title: "end sets", unit: "", meaning: "distinct termination sets T among the options that the iteration made. T is the complement of I, so it is the number of distinct I too, but for options with a start", digits: 2 },
  initiation_overlap: { title: "initiation overlap", unit: "", meaning: "Jaccard's coefficient of the sets I of two options of the iteration, their intersection as a share of their union: the mean over all pairs; undefined with fewer than two options", digits: 3 },
  termination_overlap: { title: "termination overlap", unit: "", meaning: "Jaccard's coefficient of the sets T of two options of the iteration, their intersection as a share of their union: the mean over all pairs; undefined with fewer than two options", digits: 3 },
  start_share: { title: "start share", unit: "", meaning: "share of all states in which some option of the iteration can start", digits: 3 },
};
