package replay_test

import (
	"errors"
	"math"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// externalLie is something that a stage cannot return.
type externalLie struct {
	name, want string
	own        bool // the stage's own error, for which podtrack knows no remedy
	method     func(*pod.MethodOutput)
	choice     func([]schema.Direction) []schema.Direction
	learn      func(schema.Value) (schema.ValueFunction, error)
}

func externalLies() []externalLie {
	value := func(name, want string, change func(v schema.Value) schema.ValueFunction) externalLie {
		return externalLie{name: name, want: want, learn: func(v schema.Value) (schema.ValueFunction, error) {
			return change(v), nil
		}}
	}
	direction := func(name, want string, change func(d *schema.Direction)) externalLie {
		return externalLie{name: name, want: want, choice: func(d []schema.Direction) []schema.Direction {
			change(&d[1])
			return d
		}}
	}
	method := func(name, want string, change func(*pod.MethodOutput)) externalLie {
		return externalLie{name: name, want: want, method: change}
	}
	return []externalLie{
		method("σ NaN", "σ of direction 2 is NaN", func(o *pod.MethodOutput) { o.Sigma[1] = math.NaN() }),
		method("σ infinite", "σ of direction 1 is +Inf", func(o *pod.MethodOutput) { o.Sigma[0] = math.Inf(1) }),
		method("σ negative", "σ of direction 6 is -1", func(o *pod.MethodOutput) { o.Sigma[5] = -1 }),
		method("σ ascending", "is larger than", func(o *pod.MethodOutput) { o.Sigma[2] = 2 * o.Sigma[1] }),
		method("a σ too many", "13 numbers σ and 12 vectors", func(o *pod.MethodOutput) { o.Sigma = append(o.Sigma, 0) }),
		method("too many directions", "13 numbers σ and 13 vectors, of a D of 12 columns", func(o *pod.MethodOutput) {
			o.Sigma, o.Vectors = append(o.Sigma, 0), append(o.Vectors, o.Vectors[0])
		}),
		method("short vector", "vector 1 has 11 entries", func(o *pod.MethodOutput) { o.Vectors[0] = o.Vectors[0][:11] }),
		method("entry NaN", "entry 1 of vector 3 is NaN", func(o *pod.MethodOutput) { o.Vectors[2][0] = math.NaN() }),
		method("not unit", "vector 1 has length", func(o *pod.MethodOutput) { o.Vectors[0][0] += 1e-3 }),
		method("zero", "vector 1 has length 0", func(o *pod.MethodOutput) { o.Vectors[0] = make([]float64, 12) }),
		direction("another σ", "direction 2 has σ", func(d *schema.Direction) { d.Sigma++ }),
		direction("number NaN", "the number of direction 2 is NaN", func(d *schema.Direction) { d.Number = math.NaN() }),
		direction("reason", "direction 2 has reason 99", func(d *schema.Direction) { d.Reason = 99 }),
		direction("nearest", "option 7, which there is not", func(d *schema.Direction) { d.Nearest = 7 }),
		direction("sign", "where both are followed", func(d *schema.Direction) { d.Sign = 1 }),
		{name: "too few decisions", want: "it decided about 6 directions, of 7",
			choice: func(d []schema.Direction) []schema.Direction { return d[1:] }},
		value("v NaN", "the value of state 3 is NaN", func(v schema.Value) schema.ValueFunction {
			v[3] = math.NaN()
			return v
		}),
		value("v negative", "the value of state 0 is -1", func(v schema.Value) schema.ValueFunction {
			v[0] = -1
			return v
		}),
		value("v short", "values of 4095 states, of 4096", func(v schema.Value) schema.ValueFunction { return v[1:] }),
		value("weights", "weights of a learner of values", func(schema.Value) schema.ValueFunction {
			return schema.NewTheta(2, 6)
		}),
		value("nothing", "neither values nor weights", func(schema.Value) schema.ValueFunction { return nil }),
		value("cycle", "option does not terminate", func(v schema.Value) schema.ValueFunction {
			for s := range v {
				v[s] = 1e6
			}
			return v
		}),
		{name: "an error", want: "out of luck", own: true, learn: func(schema.Value) (schema.ValueFunction, error) {
			return nil, errors.New("out of luck")
		}},
	}
}
