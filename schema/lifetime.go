package schema

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// A Lifetime is the number of iterations for which an option stays in the action set. [Lifetime.Iterations]
// parses it.
type Lifetime string

// The lifetimes that have a name.
const (
	KeepOptions    Lifetime = ""        // in all later iterations
	ReplaceOptions Lifetime = "replace" // in the next iteration alone
)

// keepForever is the text of a spec whose options stay in the action set.
const keepForever = "keep"

// lastPrefix begins a lifetime of more than one iteration.
const lastPrefix = "last="

// maxLifetime is the largest N of last=N.
const maxLifetime = 1 << 30

// parseLifetime parses a lifetime into its canonical form: last=1 is replace, and keep is empty.
func parseLifetime(text string) (Lifetime, error) {
	switch digits, found := strings.CutPrefix(text, lastPrefix); {
	case text == keepForever, text == string(KeepOptions):
		return KeepOptions, nil
	case text == string(ReplaceOptions):
		return ReplaceOptions, nil
	case found:
		n, err := strconv.ParseInt(textfmt.PlainInteger(digits), 10, 32)
		if err != nil || n < 1 || n > maxLifetime {
			break
		}
		if n == 1 {
			return ReplaceOptions, nil
		}
		return Lifetime(lastPrefix + strconv.FormatInt(n, 10)), nil
	}
	return KeepOptions, fmt.Errorf("lifetime %q", text)
}

// Iterations returns the number of iterations for which an option stays in the action set, 0 for all.
func (l Lifetime) Iterations() int {
	switch digits, found := strings.CutPrefix(string(l), lastPrefix); {
	case l == ReplaceOptions:
		return 1
	case found:
		n, _ := strconv.Atoi(digits) // the spec was checked
		return n
	}
	return 0
}

// FirstAvailable returns the first iteration whose options are in the action set of iteration k, unless
// they are left out.
func (s Spec) FirstAvailable(k int) int {
	if n := s.Options.Iterations(); n > 0 {
		return max(0, k-n)
	}
	return 0
}
