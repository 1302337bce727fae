// Command ram is the game of package arcade as an environment of podtrack: ram bits, or ram bytes.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	"github.com/podtrack/podtrack/schema/schematest/arcade"
)

// A request is one of podtrack's; see replay/external/PROTOCOL.md.
type request struct {
	ID     int     `json:"id"`
	Do     string  `json:"do"`
	Seed   *uint64 `json:"seed"`
	Action int     `json:"action"`
}

func main() {
	if len(os.Args) != 2 || os.Args[1] != "bits" && os.Args[1] != "bytes" {
		fmt.Fprintln(os.Stderr, "usage: ram bits|bytes")
		os.Exit(2)
	}
	bits, in, out := os.Args[1] == "bits", json.NewDecoder(bufio.NewReader(os.Stdin)), bufio.NewWriter(os.Stdout)
	var game *arcade.Game
	for {
		var r request
		if err := in.Decode(&r); err != nil {
			return // the end of stdin
		}
		fmt.Fprintf(out, `{"id":%d,`, r.ID)
		switch r.Do {
		case "hello":
			out.Write(declare(bits))
		case "reset":
			if r.Seed != nil {
				game = arcade.New(*r.Seed)
			} else {
				game.Reset()
			}
			out.Write(observe(game, bits))
		case "step":
			over := game.Step(r.Action)
			out.Write(observe(game, bits))
			fmt.Fprintf(out, `,"terminated":%v,"truncated":false`, over)
		}
		out.WriteString("}\n")
		if out.Flush() != nil {
			return
		}
	}
}

// declare returns the members of the answer to hello.
func declare(bits bool) []byte {
	observes, parameter := "real", "bytes"
	var features []string
	for i := range arcade.Size {
		for bit := range 8 {
			if bits {
				features = append(features, fmt.Sprintf("byte%d.%d", i, bit))
			}
		}
		if !bits {
			features = append(features, fmt.Sprintf("byte%d", i))
		}
	}
	if bits {
		observes, parameter = "binary", "bits"
	}
	b, _ := json.Marshal(map[string]any{
		"protocol": 1, "name": "arcade-ram", "version": "1", "actions": arcade.Actions,
		"observes":   map[string]any{"kind": observes, "features": features},
		"parameters": map[string]string{"observe": parameter},
	})
	return b[1 : len(b)-1]
}

// observe returns the member with the observation.
func observe(g *arcade.Game, bits bool) []byte {
	b := []byte(`"observation":`)
	if !bits {
		b = append(b, '[')
		for i, x := range g.RAM {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, int64(x), 10)
		}
		return append(b, ']')
	}
	b = append(b, '"')
	for _, x := range g.RAM {
		for bit := range 8 {
			b = append(b, '0'+x>>bit&1)
		}
	}
	return append(b, '"')
}
