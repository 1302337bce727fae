package pages

import (
	"errors"
	"fmt"
	"io"
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

// damageAt returns a [Damage] of the byte at the given offset of the span.
func (r *pageSpan) damageAt(at int64, format string, args ...any) error {
	return &Damage{Page: r.page, Offset: r.base + at, Why: fmt.Sprintf(format, args...)}
}

// readError returns a [Damage] if the file ends too early, or else the wrapped read error.
func (r *pageSpan) readError(at int64, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return r.damageAt(at, "the file ends here")
	}
	return fmt.Errorf("read page %d: %w", r.page, err)
}
