package cmdline

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// ParseHead returns the head that --expect gives. A part of it proves nothing.
func ParseHead(text string) (schema.Digest, error) {
	head, err := schema.ParseDigest(text)
	if err != nil {
		return head, schema.Hint(fmt.Errorf("--expect %q is not a whole head, which has 64 hexadecimal digits", text),
			"tables print the first 12 alone; podtrack show RUN prints all of them")
	}
	return head, nil
}
