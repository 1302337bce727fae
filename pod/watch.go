package pod

// watch counts the work of a decomposition, and reports it between two of its steps.
type watch struct {
	tick        func(done, total int64) error // its error ends the decomposition
	done, total float64                       // about so many operations on numbers
	reported    float64                       // done as of the last tick
}

// tickWork is the work between two ticks, some milliseconds.
const tickWork = 1 << 22

// advance adds the work of a step to what is done, and calls tick if that is due. It returns tick's
// error.
func (w *watch) advance(work float64) error { return w.advanceTo(w.done + float64(work)) }

// advanceTo sets the work done so far, and calls tick if that is due. It returns tick's error.
func (w *watch) advanceTo(done float64) error {
	if w.done = done; w.done < w.reported+tickWork {
		return nil
	}
	w.reported = w.done
	return w.tick(int64(w.done), int64(max(w.total, w.done)))
}

// cube returns x³.
func cube(x int) float64 { return float64(x) * float64(x) * float64(x) }
