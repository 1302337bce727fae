package scripts

import (
	"fmt"
	"os"

	"github.com/podtrack/podtrack/cmd/podtrack/cli"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// ownPodtrack is podtrack with an environment of its own: cells in a row, of which the light of the last
// one is on or off. With OWN_TRAP it panics in the last one. OWN_PARAMETER names one parameter more.
func ownPodtrack() {
	trapped := os.Getenv("OWN_TRAP") != ""
	own := envs.RegisteredEnv{
		Name: "example.org/corridor", Version: 1, Usage: "cells in a row",
		Parameters: []envs.Parameter{{Name: "cells", Default: 20, Min: 2, Max: 1000, Usage: "the number of cells"}},
		TextParameters: []envs.TextParameter{
			{Name: "light", Default: "off", Values: []string{"on", "off"}, Usage: "the lamp"},
		},
		Build: func(e schema.Env) (envs.Env, error) {
			last := int(e.Params["cells"]) - 1
			return envs.Graph{
				States: last + 1, Actions: []string{"left", "right"}, Features: []string{"place", "light"},
				Observe: func(s int, dst []float64) {
					if trapped && s == last {
						panic("no light")
					}
					dst[0], dst[1] = float64(s), 0
					if s == last && e.Text["light"] == "on" {
						dst[1] = 1
					}
				},
				Step: func(s, a int) int { return min(max(s+2*a-1, 0), last) },
			}.Env()
		},
	}
	if name := os.Getenv("OWN_PARAMETER"); name != "" {
		own.Parameters = append(own.Parameters, envs.Parameter{Name: name, Max: 1})
	}
	if err := envs.RegisterEnv(own); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(cli.Main())
}
