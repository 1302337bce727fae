package external

import (
	"fmt"
	"slices"
	"strings"
)

// The extensions of the protocol, each of which needs those before it.
const (
	stepsExtension    = "steps"    // many actions in a request
	framesExtension   = "frames"   // the bulk of its answer in bytes
	policiesExtension = "policies" // the program decides as the agent would
)

// Extensions returns the names of the extensions that this program knows, each of which needs those
// before it.
func Extensions() []string { return []string{stepsExtension, framesExtension, policiesExtension} }

// checkExtensions returns an error unless the extensions that a program uses were offered and come with
// those that they need.
func checkExtensions(used, offered []string) error {
	for i, name := range used {
		if !slices.Contains(offered, name) {
			return fmt.Errorf("it uses the extension %q, which was not offered", truncate(name))
		}
		if slices.Contains(used[:i], name) {
			return fmt.Errorf("it uses the extension %q twice", name)
		}
	}
	for i, name := range Extensions()[1:] {
		if before := Extensions()[i]; slices.Contains(used, name) && !slices.Contains(used, before) {
			return fmt.Errorf("it uses the extension %q without %q", name, before)
		}
	}
	return nil
}

// helloRequest returns the members of the first request, which asks for the program's code too if asked is
// true.
func helloRequest(offered []string, asked bool) string {
	request := fmt.Sprintf(`"do":"hello","protocol":%d`, protocol)
	if asked {
		request += `,"code":true`
	}
	if len(offered) > 0 {
		request += `,"extensions":["` + strings.Join(offered, `","`) + `"]`
	}
	return request
}
