package web

import (
	"fmt"
	"testing"

	"github.com/podtrack/podtrack/replay/diff"
)

// BenchmarkFindLanes searches the lanes of ten thousand options for one, and for a hundred.
func BenchmarkFindLanes(b *testing.B) {
	var lanes []diff.Lane
	for i := range 5000 {
		k, j := i/500, i%500+1
		lanes = append(lanes, diff.Lane{
			First: k, Name: fmt.Sprintf("+bit%d −bit%d", i%64, i%61), Cells: []diff.LaneCell{{J: j, Signs: "+-", Number: &i}},
		})
	}
	hundred := ""
	for i := range 100 {
		hundred += fmt.Sprintf("%d/%d+,", i%10, 5*i+1)
	}
	for name, find := range map[string]string{"one": "9/500+", "name": "bit17", "hundred": hundred} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if len(findLanes(lanes, find)) == 0 {
					b.Fatal("nothing found")
				}
			}
		})
	}
}

// BenchmarkBands reads the coverage of three runs of 600 steps.
func BenchmarkBands(b *testing.B) {
	h := New(local(filled(b)))
	for b.Loop() {
		if w := ask(h, "/api/bands?q=seed%3D0-2"); w.Code != 200 {
			b.Fatal(w.Body)
		}
	}
}
