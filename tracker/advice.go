package tracker

import "github.com/podtrack/podtrack/schema"

// Advice of this package's errors.
const (
	AdviceCheck        schema.Advice = "check the store for damage"
	AdviceCheckRecords schema.Advice = "check every record of the store, and repair it"
	AdviceMerge        schema.Advice = "merge the store into a new one"
	AdviceMissing      schema.Advice = "list what is in the store"
	AdviceNoStore      schema.Advice = "make a store, or name one"
	AdviceOtherFile    schema.Advice = "choose another file, or replace this one"
	AdviceRepair       schema.Advice = "repair the file if it is a store; nothing in it was changed"
	AdviceRestore      schema.Advice = "recompute what was pruned"
	AdviceRestoreRun   schema.Advice = "recompute what was pruned of the run"
	AdviceWait         schema.Advice = "try again when the other process is done with it, or wait longer"
)
