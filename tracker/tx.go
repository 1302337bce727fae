package tracker

import (
	"os"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/rows"
)

// A Tx is a transaction. It is for one goroutine, and valid until the function that it was passed
// to returns.
type Tx struct {
	store *Store
	rows  *rows.Tx
	file  *os.File         // the store's file
	specs schema.SpecCache // cache of decoded specs
}

// Rows returns the transaction on the rows and records, for the packages that work on a whole store.
func (t *Tx) Rows() *rows.Tx { return t.rows }
