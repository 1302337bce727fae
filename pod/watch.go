package pod

// watch follows a decomposition. It counts the work, and lets others in between two steps.
type watch struct {
	tick        func(done, total int64) error // its error ends the decomposition
	done, total float64                       // about so many operations on numbers
	told        float64                       // done as of the last tick
}

// tickWork is the work between two ticks, some milliseconds.
const tickWork = 1 << 22

// advance is called between two steps, with the work of the one before.
func (w *watch) advance(work float64) error { return w.advanceTo(w.done + float64(work)) }

// advanceTo is called between two steps, with all the work done so far.
func (w *watch) advanceTo(done float64) error {
	if w.done = done; w.done < w.told+tickWork {
		return nil
	}
	w.told = w.done
	return w.tick(int64(w.done), int64(max(w.total, w.done)))
}

// cube returns x³.
func cube(x int) float64 { return float64(x) * float64(x) * float64(x) }
