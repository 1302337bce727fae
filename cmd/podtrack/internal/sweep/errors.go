package sweep

import (
	"errors"

	"github.com/podtrack/podtrack/schema"
)

var (
	// errOtherSweep is the error of a folder that belongs to another sweep.
	errOtherSweep = errors.New("the folder belongs to another sweep")
	// errPart is the error of a part whose bytes do not match its seal.
	errPart = errors.New("the part does not match the digest in its name")
)

// Advice of this package's errors.
const (
	AdviceFewerTags    schema.Advice = "give fewer tags; more can be added to the runs"
	AdviceNoFolder     schema.Advice = "name the folder of a sweep, or start one"
	AdviceNoPlan       schema.Advice = "start a sweep in the folder"
	AdviceProtectParts schema.Advice = "take the right to write from others, or verify each record of the part"
	AdviceShard        schema.Advice = "name the shard"
	AdviceShardOfArray schema.Advice = "name the shard of a task in an array with gaps"
	AdviceVerifyParts  schema.Advice = "verify each record of the part"
)
