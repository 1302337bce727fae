package pages

import (
	"errors"
	"fmt"
)

// ErrNoMetaPage reports that a file has no bbolt meta page.
var ErrNoMetaPage = errors.New("no meta page")

// Damage is an error that describes what is wrong with a page.
type Damage struct {
	Page   uint64
	Offset int64 // of the damage in the file
	Why    string
}

func (d *Damage) Error() string {
	return fmt.Sprintf("page %d, byte %d: %s", d.Page, d.Offset, d.Why)
}
