package external

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/internal/testenv"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// speedSteps is how many steps are timed.
const speedSteps = 20000

// BenchmarkPipe compares collecting steps through the pipe with the loop in Python that a user would write instead,
// random.randrange for the action, step and reset. It reports the ratio of their speeds: of steps by primitive
// actions, by options whose policies are known in all states, and by options that act in new states, too.
func BenchmarkPipe(b *testing.B) {
	testenv.NeedsPrograms(b, "python3")
	for _, name := range []string{"lake", "breakout", "cart", "cartpole"} {
		for _, options := range []string{"primitive", "options", "weights"} {
			b.Run(name+"/"+options, func(b *testing.B) {
				if name == "cartpole" && exec.Command(benchPython(), "-c", "import gymnasium").Run() != nil {
					testenv.SkipLacking(b, "there is no Gymnasium")
				}
				program := filepath.Join("testdata", "speed.py")
				bare, piped := 0.0, 0.0
				for b.Loop() {
					bare += bareSpeed(b, program, name)
					piped += pipedSpeed(b, program, name, options)
				}
				b.ReportMetric(bare/float64(b.N), "bare-steps/s")
				b.ReportMetric(piped/float64(b.N), "steps/s")
				b.ReportMetric(piped/bare, "of-bare")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// benchPython returns the Python that the adapter uses, too.
func benchPython() string { return cmp.Or(os.Getenv("PODTRACK_PYTHON"), "python3") }

// bareSpeed returns the steps a second of the loop in Python.
func bareSpeed(b *testing.B, program, name string) float64 {
	b.Helper()
	out, err := exec.Command(benchPython(), program, name, strconv.Itoa(speedSteps)).Output()
	if err != nil {
		b.Fatal(err)
	}
	speed, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil {
		b.Fatal(err)
	}
	return speed
}

// pipedSpeed returns the steps a second of an agent with options.
func pipedSpeed(b *testing.B, program, name, options string) float64 {
	b.Helper()
	path := mustAbs(b, ".") + string(os.PathListSeparator) + os.Getenv("PYTHONPATH")
	c := Command{Words: []string{benchPython(), program, name}, Timeout: time.Minute,
		Vars: []string{"PYTHONPATH=" + path, "PYTHONDONTWRITEBYTECODE=1"}}
	p := NewProgram(c)
	declared, err := p.QueryEnv(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	env, err := pod.NewEnv(declared)
	if err != nil {
		b.Fatal(err)
	}
	seen := env.(pod.GrowingEnv).Observed()
	agent := pod.Collector{Env: env, Executing: schema.Primitive}
	if options != "primitive" { // of an iteration before
		collect(b, p, &agent, declared, seen, 0)
		agent.Options.Options = speedOptions(env, options == "weights")
	}
	return collect(b, p, &agent, declared, seen, 1)
}

// collect collects the steps of an iteration and returns how many there were in a second.
func collect(
	b *testing.B, p *Program, agent *pod.Collector, declared schema.Env, seen *pod.ObservedStates, k int,
) float64 {
	b.Helper()
	w, err := p.Launch(b.Context(), declared, seen, 0, k)
	if err != nil {
		b.Fatal(err)
	}
	defer w.(*runningEnv).Close()
	agent.Running, agent.Stream = w, pod.NewStream(0, k, pod.WalkStream)
	if agent.State, err = w.Reset(b.Context()); err != nil {
		b.Fatal(err)
	}
	steps := schema.Transitions{Arity: len(declared.External.Actions), Next: []uint32{}}
	begun := time.Now()
	for len(steps.Actions) < speedSteps {
		n := min(max(64, w.(pod.BatchedEnv).BatchSize()), speedSteps-len(steps.Actions))
		if err := agent.Collect(b.Context(), &steps, n); err != nil {
			b.Fatal(err)
		}
	}
	return speedSteps / time.Since(begun).Seconds()
}

// speedOptions returns eight options, of policies in the states that were seen, or of weights that these follow from.
func speedOptions(env pod.Env, weights bool) (all []*schema.Option) {
	stream, actions := pod.NewStream(0, 0, "options"), len(env.Actions())
	for range 8 {
		o := &schema.Option{Arity: actions, Certificate: schema.Certificate{MaxSteps: 1000}}
		all = append(all, o)
		if weights {
			theta := schema.NewTheta(actions, len(env.Features()))
			for i := range theta.Weights {
				theta.Weights[i] = float64(stream.Below(1000))/500 - 1
			}
			o.Theta = &theta
			continue
		}
		for range env.States() {
			o.Policy = append(o.Policy, int8(stream.Below(actions+1))-1)
		}
	}
	pod.ExtendPolicies(env, all)
	return all
}

func mustAbs(b testing.TB, path string) string {
	b.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		b.Fatal(err)
	}
	return abs
}

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
			command := Command{Words: append([]string{"python3", path}, c.words...), Timeout: time.Minute}
			programs := NewStagePrograms(map[string][]Command{schema.LearnerStage: {command}})
			declared, err := programs.QueryStage(b.Context(), schema.LearnerStage, command)
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

// BenchmarkProcess starts and ends a program that starts nothing, as each iteration
// does: most of it is the look for what it may have left, over all processes there are.
func BenchmarkProcess(b *testing.B) {
	testenv.NeedsPrograms(b, "sh")
	c := Command{Words: []string{"sh", "-c", "read more"}, Timeout: time.Minute}
	for b.Loop() {
		p, err := c.start(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if _, err := p.close(); err != nil {
			b.Fatal(err)
		}
	}
}
