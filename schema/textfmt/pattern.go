package textfmt

import (
	"regexp"
	"sync"
)

// Pattern returns a regular expression that is compiled when it is first used: most commands use none, and the program
// has many.
func Pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
