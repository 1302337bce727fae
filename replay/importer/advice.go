package importer

import "github.com/podtrack/podtrack/schema"

// Advice of this package's errors.
const (
	AdvicePrefix schema.Advice = "choose the arrays by their prefix"
)
