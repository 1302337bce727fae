// Package outlook is podtrack's own: it tells how far runs and plans are, and how long they will take.
// [LoadStatus] estimates each run by the recorded costs of others, [ComputeProgress] each tag with a plan;
// [TakeSnapshot] is a selection with the progress of its tags.
package outlook
