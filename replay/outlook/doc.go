// Package outlook is podtrack's own: it computes how far runs and plans are, and how long they will take. [LoadStatus]
// estimates each run from the recorded costs of others, [ComputeProgress] each tag with a plan; [TakeSnapshot] reads a
// selection with the progress of its tags.
package outlook
