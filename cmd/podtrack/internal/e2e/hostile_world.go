package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// hostileWorld serves an external environment on standard input and output: eight cells in a row. Its names are
// formulas, tags and escapes that spreadsheets, browsers and shells would execute.
func hostileWorld() {
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
