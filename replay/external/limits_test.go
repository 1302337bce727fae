package external

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
)

// TestLimits: a value at a limit is read, and one beyond it is refused.
func TestLimits(t *testing.T) {
	answers := func(text string) *process {
		return &process{lines: bufio.NewReaderSize(strings.NewReader(text), 16), closed: true, maxLine: 1 << 20,
			maxPayload: 40, kind: envs.ErrEnvFailed}
	}
	line := func(n int) error {
		text, err := answers(strings.Repeat("x", n-1) + "\n").readLine(t.Context())
		if err == nil && len(text) != n-1 {
			err = fmt.Errorf("a line of %d bytes", len(text))
		}
		return err
	}
	payload := func(n int) error {
		_, err := answers(strings.Repeat("x", max(n, 0))+"\n").readPayload(t.Context(), n)
		return err
	}
	declared := schema.External{Actions: []string{"a"}, Observes: schema.Discrete, Size: 1}
	c := collectAnswer{form: batchForm{most: 3, size: 4, declared: declared}, observer: observer{declared: declared}}
	lists := func(n int) error {
		zeros := slices.Repeat([]json.RawMessage{[]byte("0")}, n)
		return c.readLists(answer{Taken: make([]int, n), Observations: zeros}, &pod.CollectOutput{})
	}
	frame := func(n int) error { // of each step: no end, action 0, observation 0, no option
		return c.readFrame(answer{Steps: &n, payload: make([]byte, n*(2+4+optionBytes))}, &pod.CollectOutput{})
	}
	steps := func(n int) error { return c.form.checkSteps(n) }
	schematest.Limits{
		{"a line", "a line of more than 1 MiB", line(1 << 20), line(1<<20 + 1)},
		{"a payload", "a payload of 41 bytes; at most 40 are allowed", payload(40), payload(41)},
		{"a negative payload", "a payload of -1 bytes", payload(0), payload(-1)},
		{"steps in lists", "steps in taken, want 1 to 3", lists(3), lists(4)},
		{"no step in lists", "steps in taken, want 1 to 3", lists(1), lists(0)},
		{"steps in a frame", "steps, want 3", frame(3), frame(4)},
		{"no step in a frame", "steps, want 3", frame(1), frame(0)},
		{"steps of a batch", "4 steps, but 3 were requested", steps(3), steps(4)},
	}.Check(t)
}

// TestCuts: a text of the largest length is unchanged, and a longer one is truncated to it.
func TestCuts(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	digests := map[string]string{}
	for i := range 102 {
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(path, []byte(path), 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
		digests[path] = strings.Repeat("0", 64)
	}
	count := func(told codeAnswer) int {
		files, _ := Command{}.listCode(told)
		return len(files)
	}
	files := func(n int) int { return count(codeAnswer{Files: paths[:n]}) }
	told := func(n int) int {
		some := map[string]string{}
		for _, path := range paths[:n] {
			some[path] = digests[path]
		}
		return count(codeAnswer{Digests: some})
	}
	letters := func(n int) int { return len(strings.TrimSuffix(truncate(strings.Repeat("x", n)), "…")) }
	ahead := func(n int) int { // all in no time, in one answer
		var p pace
		p.took(n, 0)
		return p.size / batchGrowth
	}
	for _, limit := range []struct {
		name string
		most int
		cut  func(n int) int
	}{
		{"files", maxCodeFiles, files},
		{"digests", maxCodeFiles, told},
		{"letters of a line", 300, letters},
		{"steps ahead", maxBatch / batchGrowth, ahead},
	} {
		for _, n := range []int{limit.most - 1, limit.most, limit.most + 1} {
			if got, want := limit.cut(n), min(n, limit.most); got != want {
				t.Errorf("%s: %d of %d, want %d", limit.name, got, n, want)
			}
		}
	}
	if text := strings.Repeat("x", 300); truncate(text) != text {
		t.Errorf("%q", truncate(text))
	}
	if got, want := truncate(strings.Repeat("é", 200)+"x"), strings.Repeat("é", 150)+"…"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := truncate("x"+strings.Repeat("é", 200)), "x"+strings.Repeat("é", 149)+"…"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var p pace
	if p.took(1<<20, time.Second); p.size > maxBatch {
		t.Errorf("%d steps ahead", p.size)
	}
}

// TestWeightLimits: a program is told weights of so many features, and so many in all, and no more.
func TestWeightLimits(t *testing.T) {
	can := func(options, actions int, size int64) bool {
		w := &runningEnv{observer: observer{declared: schema.External{Actions: make([]string, actions),
			Observes: schema.Real, Size: size}}}
		theta := schema.NewTheta(actions, int(size))
		return w.canActByWeights(collect.OptionSet{Options: slices.Repeat([]*schema.Option{{Theta: &theta}}, options)})
	}
	for _, limit := range []struct {
		name       string
		at, beyond bool
	}{
		{"features", can(1, 1, 64), can(1, 1, 65)},
		{"weights", can(64, 1, 63), can(241, 17, 0)}, // 2¹², and one more
	} {
		if !limit.at || limit.beyond {
			t.Errorf("%s: at the limit %t, one beyond %t", limit.name, limit.at, limit.beyond)
		}
	}
}
