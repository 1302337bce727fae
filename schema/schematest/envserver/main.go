package envserver

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// Main serves an environment of podtrack to another process, which acts in it. It is the main function of the program
// serve-env NAME [--reward] [--PARAMETER VALUE]…, where NAME may be grid:MAP, with a map's name or its file.
func Main() {
	if err := serve(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "serve-env:", err)
		os.Exit(1)
	}
}

func serve(args []string) error {
	if len(args) == 0 {
		return errors.New("which environment? serve-env NAME [--reward] [--PARAMETER VALUE]…")
	}
	name, gridMap, hasMap := strings.Cut(args[0], ":")
	env, err := envs.DefaultEnv(name)
	if err != nil {
		return err
	}
	if hasMap {
		env.Text[envs.MapParameter] = gridMap
		if data, err := os.ReadFile(gridMap); err == nil {
			m, err := envs.ReadMap(data)
			if err != nil {
				return err
			}
			env.Text[envs.MapParameter] = m.String()
		}
	}
	rest := slices.DeleteFunc(slices.Clone(args[1:]), func(word string) bool { return word == "--reward" })
	spec := schema.Spec{Env: env}
	for pair := range slices.Chunk(rest, 2) {
		if err := spec.Set(strings.TrimPrefix(pair[0], "--"), pair[len(pair)-1]); err != nil {
			return err
		}
	}
	s, err := New(spec.Env, slices.Contains(args, "--reward"), os.Stdout)
	if err != nil {
		return err
	}
	return s.Serve(os.Stdin, nil)
}

// HostileWorld serves an external environment on standard input and output: eight cells in a row. Its names are
// formulas, tags and escapes that spreadsheets, browsers and shells would execute.
func HostileWorld() {
	cell := 0
	for requests := bufio.NewScanner(os.Stdin); requests.Scan(); {
		var request struct {
			ID     int
			Do     string
			Action int
		}
		if json.Unmarshal(requests.Bytes(), &request) != nil {
			return
		}
		answer := map[string]any{"id": request.ID}
		switch request.Do {
		case "hello":
			answer["protocol"], answer["name"], answer["version"] = 1, "hostile", `=1+1|<b>"$(x)`
			answer["actions"] = []string{`<b onclick="x">`, `"],evil[label="=cmd|$(x)\N`}
			answer["observes"] = map[string]any{"kind": "binary", "features": []string{"=1+cmd", "@x|\\", `<i>"$(touch PWNED)`}}
			answer["parameters"] = map[string]string{"p": "=HYPERLINK(\"http://x\")|`x`"}
		case "step":
			cell = min(max(cell+2*request.Action-1, 0), 7)
			answer["terminated"], answer["truncated"] = false, false
		}
		if request.Do != "hello" {
			answer["observation"] = fmt.Sprintf("%03b", cell)
		}
		document, _ := json.Marshal(answer) // of texts and numbers
		fmt.Println(string(document))
	}
}
