package table

import (
	"cmp"
	"time"
)

// Column is a column of a table.
type Column struct {
	Title  string `json:"title"` // what people read
	Header string `json:"-"`     // its name in CSV, which scripts rely on; "" means the title
	Right  bool   `json:"right"` // aligned right, as numbers are

	// Rank is the order in which columns are hidden where a table is too wide: those of
	// rank 1 first, and of equal ranks the last. Columns of rank 0 follow if that is not enough, and those of rank
	// [Always] stay.
	Rank int `json:"rank"`

	// Shown is what people see of a cell, nil for all of it. CSV has the cell itself.
	Shown func(cell string) string `json:"-"`
	// Whole is what CSV has of a cell, nil for the cell.
	Whole func(cell string) string `json:"-"`
}

// Always is the rank of columns that are never hidden.
const Always = -1

// changeFor returns the function that rewrites cells for people or for CSV, nil if they stay as they are.
func (c Column) changeFor(people bool) func(cell string) string {
	if people {
		return c.Shown
	}
	return c.Whole
}

// Left returns a column of text.
func Left(title string) Column { return Column{Title: title} }

// Right returns a column that is aligned right.
func Right(title string) Column { return Column{Title: title, Right: true} }

// Digest returns the column as one of digests, of which people see so many characters.
func (c Column) Digest(characters int) Column {
	c.Shown = func(cell string) string { return cell[:min(characters, len(cell))] }
	return c
}

// Refs returns the column as one of references, which whole completes for CSV.
func (c Column) Refs(whole func(ref string) string) Column {
	c.Whole = whole
	return c
}

// Time returns the column as one of times in UTC, which CSV has as RFC 3339 does; its title says UTC.
func (c Column) Time() Column {
	c.Header, c.Title = cmp.Or(c.Header, c.Title), c.Title+" (UTC)"
	c.Shown = func(cell string) string {
		t, err := time.Parse(time.RFC3339, cell)
		if err != nil {
			return cell
		}
		return t.UTC().Format(time.DateTime)
	}
	return c
}

// FormatTime returns a time as [Column.Time] expects it.
func FormatTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// CSV returns the column with another name in CSV than its title.
func (c Column) CSV(header string) Column {
	c.Header = header
	return c
}

// Optional returns the column with a rank, so that it may be hidden.
func (c Column) Optional(rank int) Column {
	c.Rank = rank
	return c
}
