// Package selection is podtrack's own: it decides which singular directions become eigenpurposes, and which of their
// signs is followed. [SignedAbove] keeps those with σ > κ, [SelectDirections] applies any rule, and [Similarity]
// compares purposes by their rewards.
package selection
