package learn

import (
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// TestFollowPolicy has graphs that are drawn here: next state by state, each under its
// only action.
func TestFollowPolicy(t *testing.T) {
	const end, never = schema.Terminate, envs.Never
	tests := []struct {
		name        string
		next        []int
		policy      []int8
		steps, ends []int32
	}{
		{"nothing to do", []int{0, 0}, []int8{end, end}, []int32{0, 0}, []int32{0, 1}},
		{"a line", []int{1, 2, 3, 3}, []int8{0, 0, 0, end}, []int32{3, 2, 1, 0}, []int32{3, 3, 3, 3}},
		{"a line backwards", []int{0, 0, 1, 2}, []int8{end, 0, 0, 0}, []int32{0, 1, 2, 3}, []int32{0, 0, 0, 0}},
		{"a tree", []int{2, 2, 4, 4, 4}, []int8{0, 0, 0, 0, end}, []int32{2, 2, 1, 1, 0}, []int32{4, 4, 4, 4, 4}},
		{"two ends", []int{0, 0, 3, 3}, []int8{end, 0, 0, end}, []int32{0, 1, 1, 0}, []int32{0, 0, 3, 3}},
		{"a ring that is cut", []int{1, 2, 0}, []int8{0, end, 0}, []int32{1, 0, 2}, []int32{1, 1, 1}},
		{"a ring", []int{1, 2, 0}, []int8{0, 0, 0}, []int32{never, never, never}, []int32{never, never, never}},
		{"a loop", []int{0, 0}, []int8{0, end}, []int32{never, 0}, []int32{never, 1}},
		{"a way into a ring", []int{1, 2, 1, 3}, []int8{0, 0, 0, end}, []int32{never, never, never, 0},
			[]int32{never, never, never, 3}},
		{"a second way into a ring", []int{0, 0, 1}, []int8{0, 0, 0}, []int32{never, never, never},
			[]int32{never, never, never}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newModel(t, len(tt.next), 1, func(s, _ int) int { return tt.next[s] })
			steps, ends := FollowPolicy(m, tt.policy)
			if !slices.Equal(steps, tt.steps) || !slices.Equal(ends, tt.ends) {
				t.Errorf("steps %v, ends %v; want %v, %v", steps, ends, tt.steps, tt.ends)
			}
		})
	}
}
