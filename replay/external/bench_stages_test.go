package external

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/podtrack/podtrack/internal/testenv"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// echoLearner is the shortest program of a learner: its answer has as many numbers as its request, as text or, with an
// argument, in a frame.
const echoLearner = `
import array, json, sys
for line in sys.stdin:
    r = json.loads(line)
    answer = {}
    if r["do"] == "hello":
        answer = {"protocol": 1, "stages": {"learner":
            {"name": "echo", "version": "1", "learns": "values", "model": "own"}}}
    elif r["do"] == "learn" and sys.argv[1:]:
        frame = array.array("d", r["w"]).tobytes()
        sys.stdout.buffer.write(b'{"id": %d, "bytes": %d}\n' % (r["id"], len(frame)) + frame + b"\n")
        sys.stdout.buffer.flush()
        continue
    elif r["do"] == "learn":
        answer = {"values": r["w"]}
    print(json.dumps({"id": r["id"], **answer}), flush=True)
`

// BenchmarkStageLearn measures a request for an option and its answer, where the program does nothing else.
func BenchmarkStageLearn(b *testing.B) {
	testenv.NeedsPrograms(b, "python3")
	path := filepath.Join(b.TempDir(), "echo.py")
	if err := os.WriteFile(path, []byte(echoLearner), 0o666); err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		states int
		form   string
		words  []string
	}{{256, "text", nil}, {256, "frame", []string{"frame"}}, {4096, "text", nil}, {4096, "frame", []string{"frame"}}} {
		states := c.states
		b.Run(fmt.Sprintf("states=%d/%s", states, c.form), func(b *testing.B) {
			programs := NewStagePrograms(map[string]Command{
				schema.LearnerStage: {Words: append([]string{"python3", path}, c.words...), Timeout: time.Minute},
			})
			declared, err := programs.QueryStage(b.Context(), schema.LearnerStage)
			if err != nil {
				b.Fatal(err)
			}
			spec := pod.PaperSpec()
			spec.SetStage(schema.LearnerStage, &declared)
			env, err := pod.NewEnvForSpec(spec)
			if err != nil {
				b.Fatal(err)
			}
			funcs, err := programs.LaunchStages(context.Background(), spec.Stages)
			if err != nil {
				b.Fatal(err)
			}
			in := pod.LearnInput{Spec: spec, W: make([]float64, states),
				Purpose: schema.Purpose{J: 1, Sign: 1, Sigma: 1, Vector: make([]float64, 12)},
				Model:   &pod.LearnModel{States: states, Actions: 2, Env: env}}
			for s := range in.W {
				in.W[s] = math.Abs(math.Sin(float64(s)))
			}
			for b.Loop() {
				if _, err := pod.LearnerStage.Of(funcs)(b.Context(), in); err != nil {
					b.Fatal(err)
				}
			}
			if err := funcs.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
