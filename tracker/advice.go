package tracker

import (
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
)

// Advice of this package's errors.
const (
	AdviceCheck   = storeerr.AdviceCheck
	AdviceMissing = storeerr.AdviceMissing
	AdviceRestore = storeerr.AdviceRestore

	AdviceCheckRecords schema.Advice = "check every record of the store, and repair it"
	AdviceMerge        schema.Advice = "merge the store into a new one"
	AdviceNoStore      schema.Advice = "make a store, or name one"
	AdviceOtherName    schema.Advice = "choose another name, or take this one away from the run that has it"
	AdviceRename       schema.Advice = "rename the run on purpose"
	AdviceRemoveFirst  schema.Advice = "remove the run that is there"
	AdviceMakeAgain    schema.Advice = "make the run again from its spec"
	AdviceOtherFile    schema.Advice = "choose another file, or replace this one"
	AdviceRepair       schema.Advice = "repair the file if it is a store; nothing in it was changed"
	AdviceRestoreRun   schema.Advice = "recompute what was pruned of the run"
	AdviceWait         schema.Advice = "try again when the other process is done with it, or wait longer"
)
