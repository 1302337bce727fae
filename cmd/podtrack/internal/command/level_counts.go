package command

import (
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/schema"
)

// levelCounts returns how many of some things have which level.
func levelCounts(count func(schema.Level) int) string {
	var parts []string
	for _, level := range schema.Levels() {
		parts = append(parts, fmt.Sprintf("%d %s", count(level), level))
	}
	return strings.Join(parts, ", ")
}
