package external

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// drawnSteps are the steps of an answer as a program that follows the protocol takes them.
type drawnSteps struct {
	declared     schema.External
	actions      []uint8
	decided      bool // the program chose the actions
	ends         []uint8
	rewards      []float64
	observations [][]float64
}

// drawSteps draws steps of any environment.
func drawSteps(t *rapid.T) drawnSteps {
	kind := rapid.SampledFrom([]schema.Observation{schema.Discrete, schema.Binary, schema.Real}).Draw(t, "kind")
	d := drawnSteps{decided: rapid.Bool().Draw(t, "decided"), declared: schema.External{Observes: kind,
		Size: int64(rapid.IntRange(1, 19).Draw(t, "size")), Actions: []string{"a", "b", "c"},
		Reward: rapid.Bool().Draw(t, "reward")}}
	if kind != schema.Discrete {
		d.declared.Features = make([]string, d.declared.Size)
	}
	for range rapid.IntRange(1, 12).Draw(t, "steps") {
		d.actions = append(d.actions, rapid.Uint8Range(0, 2).Draw(t, "action"))
		d.ends = append(d.ends, rapid.Uint8Range(0, 2).Draw(t, "end"))
		if d.declared.Reward {
			d.rewards = append(d.rewards, rapid.SampledFrom([]float64{-1, 0, math.Copysign(0, -1), 0.5, 1e300}).Draw(t, "r"))
		}
		d.observations = append(d.observations, drawFeatures(t, d.declared))
		if d.ends[len(d.ends)-1] > 0 {
			d.observations = append(d.observations, drawFeatures(t, d.declared))
		}
	}
	return d
}

func drawFeatures(t *rapid.T, x schema.External) []float64 {
	if x.Observes == schema.Discrete {
		return []float64{float64(rapid.Int64Range(0, x.Size-1).Draw(t, "number"))}
	}
	values := []float64{0, 1}
	if x.Observes == schema.Real {
		values = []float64{math.Copysign(0, -1), 0.1, -5e-324, 0x1p960}
	}
	return rapid.SliceOfN(rapid.SampledFrom(values), int(x.Size), int(x.Size)).Draw(t, "features")
}

// packFeatures returns an observation as a program packs it.
func packFeatures(x schema.External, values []float64) []byte {
	switch x.Observes {
	case schema.Discrete:
		n := uint32(values[0])
		return []byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}
	case schema.Binary:
		b := make([]byte, (len(values)+7)/8)
		for i, x := range values {
			b[i/8] |= byte(x) << (i % 8)
		}
		return b
	}
	var b []byte
	for _, v := range values {
		for i, bits := 0, math.Float64bits(v); i < 8; i++ {
			b = append(b, byte(bits>>(8*i)))
		}
	}
	return b
}

// frame returns the payload of the steps.
func (d drawnSteps) frame() []byte {
	b := slices.Clone(d.ends)
	if d.decided {
		b = append(b, d.actions...)
	}
	for _, r := range d.rewards {
		b = append(b, packFeatures(schema.External{Observes: schema.Real}, []float64{r})...)
	}
	for _, o := range d.observations {
		b = append(b, packFeatures(d.declared, o)...)
	}
	return b
}

// lists returns the members of the answer in lists.
func (d drawnSteps) lists(t *rapid.T) string {
	members := map[string]any{"id": 1, "ends": []int{}}
	ends, observations := []int{}, []any{}
	for _, e := range d.ends {
		ends = append(ends, int(e))
	}
	for _, o := range d.observations {
		switch d.declared.Observes {
		case schema.Discrete:
			observations = append(observations, o[0])
		case schema.Binary:
			observations = append(observations, strings.Trim(strings.ReplaceAll(fmt.Sprint(o), " ", ""), "[]"))
		default:
			observations = append(observations, o)
		}
	}
	members["ends"], members["observations"] = ends, observations
	if d.declared.Reward {
		members["rewards"] = d.rewards
	}
	text, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// form returns the form in which an answer with the steps is expected.
func (d drawnSteps) form(most int) batchForm {
	f := batchForm{declared: d.declared, size: len(packFeatures(d.declared, d.observations[0])), most: most}
	if !d.decided {
		f.actions = append(slices.Clone(d.actions), make([]uint8, most-len(d.actions))...)
	}
	return f
}

// results returns what the steps are for the agent, whose states are numbered as they appear.
func results(t *rapid.T, b batch, size int) (all []envs.StepResult, seen []string) {
	intern := func(o []byte) (int, error) {
		if !slices.Contains(seen, string(o)) {
			seen = append(seen, string(o))
		}
		return slices.Index(seen, string(o)), nil
	}
	for b.left() > 0 {
		o, err := b.next(size, intern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, o)
	}
	if len(b.observations) > 0 {
		t.Fatalf("%d bytes are left", len(b.observations))
	}
	return all, seen
}

// TestBatchForms: what a program says in a payload is what it says in lists, and no other length of the payload or
// number of steps is accepted.
func TestBatchForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawSteps(t)
		form := d.form(len(d.actions) + rapid.IntRange(0, 3).Draw(t, "more"))
		framed, err := form.readFrame(d.frame(), len(d.ends))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(framed.actions, d.actions) {
			t.Fatalf("actions %v, want %v", framed.actions, d.actions)
		}
		got, seen := results(t, framed, form.size)
		listed := form
		listed.actions = append(slices.Clone(d.actions), make([]uint8, form.most-len(d.actions))...)
		var a answer
		if err := json.Unmarshal([]byte(d.lists(t)), &a); err != nil {
			t.Fatal(err)
		}
		b, err := listed.readLists(a, &observer{declared: d.declared})
		if err != nil {
			t.Fatal(err)
		}
		want, wantSeen := results(t, b, form.size)
		if diff := cmp.Diff(want, got); diff != "" || !slices.Equal(seen, wantSeen) {
			t.Fatalf("in lists and in a payload: %s", diff)
		}
		for i, o := range got {
			if o.End != envs.EpisodeEnd(d.ends[i]) || d.declared.Reward && o.Reward != d.rewards[i] ||
				math.Signbit(o.Reward) && o.Reward == 0 {
				t.Fatalf("step %d: %+v", i, o)
			}
		}
		length := rapid.IntRange(0, len(d.frame())+9).Draw(t, "length")
		other := append(d.frame(), make([]byte, 9)...)[:length]
		if _, err := form.readFrame(other, len(d.ends)); (err == nil) != (length == len(d.frame())) {
			t.Fatalf("a payload of %d bytes, in place of %d: %v", length, len(d.frame()), err)
		}
		if _, err := form.readFrame(d.frame(), form.most+1); err == nil {
			t.Fatal("more steps than were requested")
		}
	})
}

// FuzzFrame gives any bytes as the answer to a request for steps, in parts too: what is accepted are as many results
// as it says, of observations that an environment can have, and the bytes follow from them; all else is an error of
// the environment with a remedy, and takes no more memory than the longest answer.
func FuzzFrame(f *testing.F) {
	forms := fuzzedForms()
	for i := range forms {
		f.Add(uint8(i), []byte(`{"id":1,"steps":2,"bytes":12}`+"\n\x00\x01aaaabbbbcc\n"))
		f.Add(uint8(i), []byte(`{"id":1,"steps":1,"bytes":2}`+"\n\x00\x05\n"))
		f.Add(uint8(i), []byte(`{"id":1,"steps":0,"bytes":0}`+"\n\n"))
		f.Add(uint8(i), []byte(`{"id":1,"steps":2,"bytes":99999999999}`+"\n"))
		f.Add(uint8(i), []byte(`{"id":1,"steps":-1,"bytes":-1}`+"\n"))
		f.Add(uint8(i), []byte(`{"id":1,"observations":[1,2],"ends":[0,0]}`+"\n"))
		f.Add(uint8(i), []byte(`{"id":1,"observations":["010","010","000"],"ends":[0,1],"rewards":[1,null]}`+"\n"))
		for steps := 1; steps < 4; steps++ {
			for _, end := range []byte{0, 1} {
				whole := wholeAnswer(forms[i].batchForm, steps, end)
				f.Add(uint8(i), whole)
				part := bytes.Replace(whole, []byte("}"), []byte(`,"more":true}`), 1)
				f.Add(uint8(i), slices.Concat(part, whole))
				f.Add(uint8(i), slices.Concat(part, part))
			}
		}
	}
	f.Fuzz(func(t *testing.T, n uint8, said []byte) {
		form := forms[int(n)%len(forms)]
		p := fuzzedProcess(said)
		w := runningEnv{process: p, observer: observer{declared: form.declared}, ahead: aheadAnswer{form: form.batchForm}}
		if w.extensions = Extensions()[:1]; form.framed {
			w.extensions = Extensions()
		}
		for parts := 0; parts == 0 || w.batch.more; parts++ {
			expected := w.ahead.form
			_, err := w.takePart(func() (answer, error) { return p.readAnswer(t.Context()) })
			if cap(p.payload) > 2*form.maxBytes()+64 {
				t.Fatalf("%d bytes of memory for an answer of up to %d", cap(p.payload), form.maxBytes())
			}
			if err != nil {
				if !errors.Is(err, envs.ErrEnvFailed) || schema.Remedy(err) == "" {
					t.Fatalf("%v without a remedy", err)
				}
				return
			}
			checkBatch(t, expected, w.batch)
		}
	})
}

// fuzzedForm is a form of answers, with or without a payload.
type fuzzedForm struct {
	batchForm
	framed bool
}

func fuzzedForms() (all []fuzzedForm) {
	for _, x := range []schema.External{
		{Observes: schema.Discrete, Size: 4},
		{Observes: schema.Binary, Size: 3, Features: []string{"a", "b", "c"}},
		{Observes: schema.Binary, Size: 8, Features: make([]string, 8), Reward: true},
		{Observes: schema.Real, Size: 2, Features: []string{"a", "b"}, Reward: true},
	} {
		x.Actions = []string{"left", "right"}
		size := map[schema.Observation]int{schema.Discrete: 4, schema.Binary: 1, schema.Real: 16}[x.Observes]
		for _, actions := range [][]uint8{nil, {0, 1, 1, 0}} {
			all = append(all, fuzzedForm{batchForm{declared: x, size: size, most: 4, actions: actions}, true})
			if actions != nil {
				all = append(all, fuzzedForm{batchForm{declared: x, size: size, most: 4, actions: actions}, false})
			}
		}
	}
	return all
}

// wholeAnswer returns an answer that is right, of zeros.
func wholeAnswer(f batchForm, steps int, end byte) []byte {
	payload := bytes.Repeat([]byte{0}, steps*f.stepBytes()+(steps+int(end))*f.size)
	payload[0] = end
	return append(fmt.Appendf(nil, `{"id":1,"steps":%d,"bytes":%d}`+"\n%s", steps, len(payload), payload), '\n')
}

// checkBatch checks what was accepted.
func checkBatch(t *testing.T, f batchForm, b batch) {
	t.Helper()
	if len(b.ends) > f.most || len(b.actions) != len(b.ends) ||
		f.actions != nil && !bytes.HasPrefix(f.actions, b.actions) ||
		f.declared.Reward && len(b.rewards) != len(b.ends) || !f.declared.Reward && len(b.rewards) > 0 {
		t.Fatalf("accepted %+v", b)
	}
	seen, err := envs.NewEnv(schema.Env{Name: "fuzzed", Params: map[string]int64{}, External: &schema.External{
		Version: "1", Actions: f.declared.Actions, Observes: f.declared.Observes, Size: f.declared.Size,
		Features: []string{"a", "b", "c", "d", "e", "f", "g", "h"}[:len(f.declared.Features)]}})
	if err != nil {
		t.Fatal(err)
	}
	x := seen.(envs.GrowingEnv)
	for b.left() > 0 {
		o, err := b.next(f.size, x.Observed().Intern)
		if err != nil || o.End > envs.Truncated || math.IsNaN(o.Reward) || math.IsInf(o.Reward, 0) {
			t.Fatalf("%+v, %v", o, err)
		}
	}
	if len(b.observations) > 0 {
		t.Fatalf("%d bytes are left", len(b.observations))
	}
	record := x.Observed().ObservationsFrom(0)
	data, err := record.Encode() // refuses what cannot be recorded
	if err == nil {
		_, err = schema.DecodeObservations(data)
	}
	if err != nil {
		t.Fatal(err)
	}
}
