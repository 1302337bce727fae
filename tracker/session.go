package tracker

import (
	"slices"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/rows"
)

// A Cost is the time that an iteration took. It is part of no digest.
type Cost struct {
	Stages map[string]int64 `cbor:"stages"` // wall time in nanoseconds
}

// A Session is one process's work on a run. Its row is written when the process takes the run, with
// each commit of its work, and when it ends. It is part of no digest.
type Session struct {
	Started  int64             `cbor:"started"` // Unix time in nanoseconds
	Ended    int64             `cbor:"ended"`   // Unix time in nanoseconds; 0 while it is running
	Host     string            `cbor:"host"`
	PID      int               `cbor:"pid"`
	Go       string            `cbor:"go"`
	OS       string            `cbor:"os"`
	Arch     string            `cbor:"arch"`
	Level    string            `cbor:"level"` // GOAMD64, GOARM64
	Modules  map[string]string `cbor:"modules"`
	Revision string            `cbor:"revision"`
	Dirty    bool              `cbor:"dirty"`
	From     int               `cbor:"from"` // iterations From … To−1 were made
	To       int               `cbor:"to"`
	CPU      int64             `cbor:"cpu"`  // nanoseconds
	Peak     int64             `cbor:"peak"` // bytes of memory

	State  SessionState `cbor:"state,omitempty"`
	Signal string       `cbor:"signal,omitempty"` // signal that interrupted the session
	Error  string       `cbor:"error,omitempty"`  // error with which it failed
	Saved  int64        `cbor:"saved,omitempty"`  // Unix time in nanoseconds of the last save
	Position

	// Code is the code beside this program, nil if it is unknown.
	Code *Code `cbor:"code,omitempty"`
}

// A Position is the progress in the current iteration: Part of Parts of a stage are done. The zero value is the
// beginning.
type Position struct {
	Stage string `cbor:"stage,omitempty"`
	Part  int64  `cbor:"part,omitempty"`
	Parts int64  `cbor:"parts,omitempty"`
}

// A SessionState says how a session ended.
type SessionState string

// The states of a session. The row of a running session has none; its lease tells whether it is
// running or has vanished.
const (
	SessionComplete    SessionState = "complete"
	SessionInterrupted SessionState = "interrupted" // by the caller
	SessionSignal      SessionState = "signal"
	SessionFailed      SessionState = "failed"
	SessionVanished    SessionState = "vanished" // the process ended without recording it
	SessionRunning     SessionState = "running"  // never in a row
)

// startedWith reports whether the session began with the lease.
func (s Session) startedWith(l *Lease) bool {
	return l != nil && s.Started == l.Since && s.PID == l.PID && s.Host == l.Host
}

// IsOpen reports whether the end of the session is not recorded.
func (s Session) IsOpen() bool { return s.State == "" }

// MarkVanished ends a session whose process did not, at the time of its last save or heartbeat.
func (s *Session) MarkVanished(l *Lease) {
	s.State, s.Ended = SessionVanished, max(s.Started, s.Saved)
	if s.startedWith(l) {
		s.Ended = max(s.Ended, l.Beat)
	}
}

// ReadCost returns the cost of iteration k, or zero if it is unknown.
func (t *Tx) ReadCost(id schema.Digest, k int) (Cost, error) {
	c, _, err := rows.Read[Cost](t.rows, rows.BucketCosts, rows.PartKey(id, k))
	return c, err
}

// ReadSessions returns the sessions of the run in order, each with its state. A vanished session ends at its
// last save or heartbeat.
func (t *Tx) ReadSessions(id schema.Digest) ([]Session, error) {
	stored, err := t.ReadSessionRows(id)
	if err != nil {
		return nil, err
	}
	l, err := t.ReadLease(id)
	all := make([]Session, len(stored))
	for i, row := range stored {
		s := &all[i]
		*s = row.Session
		switch {
		case !s.IsOpen():
		case s.startedWith(l) && t.isAlive(*l):
			s.State = SessionRunning
		default:
			s.MarkVanished(l)
		}
	}
	return all, err
}

// A SessionRow is a session as stored, with its number in the run. A repair that drops a damaged row leaves a
// gap in the numbers, so a session's index in a list is not its number.
type SessionRow struct {
	Number int
	Session
}

// ReadSessionRows returns the sessions as stored, in order.
func (t *Tx) ReadSessionRows(id schema.Digest) ([]SessionRow, error) {
	var all []SessionRow
	for key, row := range t.rows.WithPrefix(rows.BucketSessions, id[:]) {
		s, err := decodeSession(key, row)
		if err != nil {
			return all, err
		}
		all = append(all, s)
	}
	return all, t.rows.CheckMisplaced(rows.BucketSessions, id[:])
}

// ReadLastSession returns the run's last session as stored, or nil if it has none.
func (t *Tx) ReadLastSession(id schema.Digest) (*SessionRow, error) {
	key, row, err := t.rows.LastOf(rows.BucketSessions, id)
	if err != nil || key == nil {
		return nil, err
	}
	s, err := decodeSession(key, row)
	return &s, err
}

// CodeOf returns the code of the last session of a run that saved work, nil if it is unknown.
func (t *Tx) CodeOf(id schema.Digest) (code *Code, err error) {
	sessions, err := t.ReadSessions(id)
	for _, s := range sessions {
		if s.To > s.From || s.Saved > 0 {
			code = s.Code
		}
	}
	return code, err
}

func decodeSession(key, row []byte) (s SessionRow, err error) {
	n, ok := rows.PartNumber(key)
	if !ok {
		return s, rows.DamagedError(rows.BucketSessions, key)
	}
	s.Number = n
	s.Session, err = rows.DecodeRow[Session](rows.BucketSessions, key, row)
	return s, err
}

const maxLookedThrough = 1000

// HasRecheck reports whether a session had the first steps of a program taken again. It looks through some sessions of
// a store that has many, and leaves out damaged ones.
func (t *Tx) HasRecheck(p Program) bool {
	looked := 0
	for key, row := range t.rows.WithPrefix(rows.BucketSessions, nil) {
		if looked++; looked > maxLookedThrough {
			break
		}
		s, err := decodeSession(key, row)
		if err == nil && s.Code != nil && slices.ContainsFunc(s.Code.Programs, func(other Program) bool {
			return other.Recheck != nil && p.isSame(other)
		}) {
			return true
		}
	}
	return false
}

// PutRecheck adds the recheck of a program to the last session of a run, if that is one of the same program.
func (t *Tx) PutRecheck(id schema.Digest, p Program) error {
	last, err := t.ReadLastSession(id)
	if err != nil || last == nil || last.Code == nil {
		return err
	}
	for i, other := range last.Code.Programs {
		if p.isSame(other) {
			last.Code.Programs[i].Recheck = p.bounded().Recheck
		}
	}
	return t.PutSession(id, last.Number, last.Session)
}

// PutSession writes session n of the run.
func (t *Tx) PutSession(id schema.Digest, n int, s Session) error {
	return rows.Write(t.rows, rows.BucketSessions, rows.PartKey(id, n), s)
}

// LostAtMost returns an upper bound on the work that a session lost. A vanished one lost its work from its last save,
// or its start, to its end. It ended before the next heartbeat was due, beat after the last one, and before now.
func (s Session) LostAtMost(beat time.Duration, now time.Time) time.Duration {
	if s.State != SessionVanished {
		return 0
	}
	end := min(s.Ended+int64(beat), now.UnixNano())
	return max(0, time.Duration(end-max(s.Saved, s.Started)))
}

// LostAtMost returns [Session.LostAtMost] of a session at the store's current time.
func (t *Tx) LostAtMost(s Session) time.Duration {
	return s.LostAtMost(t.store.opts.Heartbeat, t.store.Now())
}

// Duration returns the duration of the session, or 0 while it is running.
func (s Session) Duration() time.Duration {
	if s.Ended == 0 {
		return 0
	}
	return time.Duration(s.Ended - s.Started)
}
