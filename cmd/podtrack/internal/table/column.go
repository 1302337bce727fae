package table

// Column is a column of a table.
type Column struct {
	Title  string // what people read
	Header string // its name in CSV, which scripts rely on; "" means the title
	Right  bool   // aligned right, as numbers are

	// Rank is the order in which columns are hidden where a table is too wide: those of
	// rank 1 first, and of equal ranks the last. Columns of rank 0 always stay.
	Rank int
}

// Left returns a column of text.
func Left(title string) Column { return Column{Title: title} }

// Right returns a column that is aligned right.
func Right(title string) Column { return Column{Title: title, Right: true} }

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
