package external

import (
	"fmt"
	"slices"
	"strings"
)

// The extensions of the protocol.
const (
	stepsExtension    = "steps"    // many actions in a request
	framesExtension   = "frames"   // the bulk of its answer in bytes
	policiesExtension = "policies" // the program decides as the agent would
	weightsExtension  = "weights"  // in all real observations, by the weights of linear q
	partsExtension    = "parts"    // the bytes are sent while further steps are taken
)

// neededExtensions has the extension that another one needs, which may need a further one.
var neededExtensions = map[string]string{
	framesExtension: stepsExtension, policiesExtension: framesExtension, weightsExtension: policiesExtension,
	partsExtension: framesExtension,
}

// Extensions returns the names of the extensions that this program knows, each after those that it needs.
func Extensions() []string {
	return []string{stepsExtension, framesExtension, policiesExtension, weightsExtension, partsExtension}
}

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
	for _, name := range used {
		if needed := neededExtensions[name]; needed != "" && !slices.Contains(used, needed) {
			return fmt.Errorf("it uses the extension %q without %q", name, needed)
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
