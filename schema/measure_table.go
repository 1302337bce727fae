package schema

// MeasureInfo is what is known of a measure beside its values. Tables, filters, figures, the glossary and the page have
// it from here.
type MeasureInfo struct {
	Name  string // in CSV, JSON, filters and flags
	Title string // what people read
	Unit  string // "" for a count or a share

	// Meaning is what the glossary has of it, without a final stop.
	Meaning string

	IsShare   bool // from 0 to 1
	OfOptions bool // read from options, which can be pruned
}

// MeasureTable defines measures of a type: what is known of each, and a function that returns its value, nil if it is
// undefined.
type MeasureTable[T any] []struct {
	MeasureInfo
	Of func(T) *float64
}

// Infos describes the measures.
func (t MeasureTable[T]) Infos() []MeasureInfo {
	var infos []MeasureInfo
	for _, m := range t {
		infos = append(infos, m.MeasureInfo)
	}
	return infos
}

// Names returns the names of the measures.
func (t MeasureTable[T]) Names() []string {
	var names []string
	for _, m := range t {
		names = append(names, m.Name)
	}
	return names
}

// Get returns the named measure of a value, nil if it is undefined, and whether there is one of that name.
func (t MeasureTable[T]) Get(name string, of T) (*float64, bool) {
	for _, m := range t {
		if m.Name == name {
			return m.Of(of), true
		}
	}
	return nil, false
}
