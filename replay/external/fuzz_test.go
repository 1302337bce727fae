package external

import (
	"bufio"
	"bytes"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// FuzzAnswer lets a program answer anything to its first request: what is taken for
// an observation has the size that was declared, all else is an error of the
// environment.
func FuzzAnswer(f *testing.F) {
	for _, line := range []string{
		`{"id": 1, "observation": 3}`, `{"id": 1, "observation": "010"}`, `{"id": 1, "observation": [1, -0, 1e308]}`,
		`{"id": 1, "error": "no"}`, `{"id": 2, "observation": 3}`, `{"id": 1, "observation": null}`, `{"id": 1} {}`,
		`[1`, "\xff", `{"id":1,"observation":[NaN,1,2]}`,
	} {
		f.Add([]byte(line + "\n"))
	}
	observers := []observer{
		{declared: schema.External{Observes: schema.Discrete, Size: 4}},
		{declared: schema.External{Observes: schema.Binary, Size: 3, Features: []string{"a", "b", "c"}}},
		{declared: schema.External{Observes: schema.Real, Size: 3, Features: []string{"a", "b", "c"}}},
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		p := fuzzedProcess(said)
		a, err := p.read(t.Context())
		if err != nil {
			if !errors.Is(err, envs.ErrEnvFailed) || schema.Remedy(err) == "" {
				t.Fatalf("%v with remedy %q", err, schema.Remedy(err))
			}
			return
		}
		for i, size := range []int{4, 1, 24} {
			if b, err := observers[i].read(a.Observation, nil); err == nil && len(b) != size {
				t.Fatalf("%q is an observation of %d bytes", a.Observation, len(b))
			}
		}
	})
}

// fuzzedProcess returns a process that has answered its first request, and ended.
func fuzzedProcess(said []byte) *process {
	p := &process{
		kind: envs.ErrEnvFailed, name: "fuzzed", cmd: &exec.Cmd{}, id: 1, closed: true, ended: make(chan struct{}),
		lines: bufio.NewReader(bytes.NewReader(said)),
	}
	close(p.ended)
	return p
}

// TestHelloWithAKeyTwice: readers of JSON disagree about which of them counts.
func TestHelloWithAKeyTwice(t *testing.T) {
	for said, key := range map[string]string{
		`{"id":1,"name":"a","name":"b"}`:                         `"name"`,
		`{"id":1,"parameters":{"size":"1","Size":"2"}}`:          "",
		`{"id":1,"parameters":{"size":"1","size":"2"}}`:          `"size"`,
		`{"id":1,"observes":{"kind":"discrete","n":3,"n":4}}`:    `"n"`,
		`{"id":1,"name":"a","observes":{"kind":"binary","n":3}}`: "",
	} {
		_, err := fuzzedProcess([]byte(said + "\n")).read(t.Context())
		if (err == nil) != (key == "") || err != nil && !strings.Contains(err.Error(), "duplicate key "+key) {
			t.Errorf("%s: %v", said, err)
		}
	}
}
