package cmdline

import "time"

// Pace is the pace of work that is done in units.
type Pace struct {
	Begun time.Time // of the first call of Left
	first int64     // units done then
}

// Left returns how long the work will go on at the pace so far, and whether that is known.
func (p *Pace) Left(done, total int64, now time.Time) (time.Duration, bool) {
	if p.Begun.IsZero() {
		p.Begun, p.first = now, done
	}
	if done <= p.first {
		return 0, false
	}
	return time.Duration(float64(now.Sub(p.Begun)) / float64(done-p.first) * float64(total-done)), true
}
