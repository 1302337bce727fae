package replay

import (
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// aheadBytes is how much is read in one transaction before it is asked for.
const aheadBytes = 16 << 20

// ahead reads the records of an iteration in the order in which they are
// listed, many in one transaction. What cannot be read is kept as an error.
type ahead struct {
	with  func(func(*tracker.Tx) error) error
	queue []schema.Entry
	ready map[schema.Digest]found
}

type found struct {
	record []byte
	err    error
}

// read returns a record, verified against its name.
func (a *ahead) read(name schema.Digest) ([]byte, error) {
	if f, ok := a.ready[name]; ok {
		return f.record, f.err
	}
	if err := a.with(func(tx *tracker.Tx) error { return a.fill(tx, name) }); err != nil {
		return nil, err
	}
	f := a.ready[name]
	return f.record, f.err
}

// fill reads the named record and those listed after it, as many as there is
// room for. All that was read before is past.
func (a *ahead) fill(tx *tracker.Tx, name schema.Digest) error {
	a.ready = map[schema.Digest]found{}
	record, err := tx.ReadRecord(name)
	if err != nil && !isLost(err) {
		return err
	}
	a.ready[name] = found{record, err}
	room := len(record)
	for len(a.queue) > 0 {
		next := a.queue[0].Name
		a.queue = a.queue[1:]
		if next == name {
			break
		}
	}
	for room < aheadBytes && len(a.queue) > 0 {
		room += a.get(tx, a.queue[0].Name)
		a.queue = a.queue[1:]
	}
	return nil
}

// get reads one record and returns its size.
func (a *ahead) get(tx *tracker.Tx, name schema.Digest) int {
	record, err := tx.ReadRecord(name)
	if err != nil && !isLost(err) {
		return 0 // asked for again when its turn comes
	}
	a.ready[name] = found{record, err}
	return len(record)
}
