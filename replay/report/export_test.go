package report

import "github.com/podtrack/podtrack/tracker"

// SetPlaces sets a run's places in studies, as if they were read.
func (r *Run) SetPlaces(places ...tracker.Membership) {
	r.places = append([]tracker.Membership{}, places...)
}
