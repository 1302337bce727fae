package command

import (
	"fmt"
	"io"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/remedies"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// levelsReport counts runs, by the lowest level of their stages, and the stages of their iterations.
type levelsReport struct {
	Runs   map[schema.Level]int `json:"runs"`
	Stages map[schema.Level]int `json:"stages"`

	needs []string // the programs that recompute what is not recomputed without
}

func newLevelsReport() levelsReport {
	r := levelsReport{Runs: map[schema.Level]int{}, Stages: map[schema.Level]int{}}
	for _, level := range schema.Levels() {
		r.Runs[level], r.Stages[level] = 0, 0
	}
	return r
}

// add counts a run with n iterations.
func (r *levelsReport) add(run tracker.Run, n int) {
	if n == 0 {
		return
	}
	levels := replay.LevelsOf(run, n)
	r.Runs[replay.LowestLevel(levels)]++
	for level, count := range replay.CountLevels(run, n) {
		r.Stages[level] += count
	}
	for _, l := range levels {
		r.needs = append(r.needs, l.Needs)
	}
}

// print prints the counts, unless podtrack alone recomputes everything.
func (r *levelsReport) print(w io.Writer) {
	if r.Runs[schema.Verified]+r.Runs[schema.Claimed] == 0 {
		return
	}
	with := ""
	if flags := remedies.ProgramFlags(r.needs); flags != "" {
		with = " with " + flags
	}
	fmt.Fprintf(w, "levels:  runs: %s\n", levelCounts(func(l schema.Level) int { return r.Runs[l] }))
	fmt.Fprintf(w, "         stages: %s\n", levelCounts(func(l schema.Level) int { return r.Stages[l] }))
	fmt.Fprintf(w, "         a check recomputes nothing; podtrack replay RUN%s does\n", with)
}
