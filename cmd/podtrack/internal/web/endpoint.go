package web

// endpoint is a path of the API and the function that answers it.
type endpoint struct {
	path   string
	params []string // query parameters that it takes
	cost   cost
	about  about // what the answer depends on, nil if that is unknown
	answer func(*request) (answer, error)
}

// cost is what an answer takes, which decides where a request for it waits.
type cost int

const (
	light   cost = iota // milliseconds
	heavy               // maybe seconds of processor time
	drawing             // the same, of a figure, for which a view waits: it does not queue behind what is heavy
)

// about is a function that returns what an answer depends on, without computing the
// answer: mostly the runs, as lists show them.
type about func(*request) (any, error)

// stagedEndpoint is a path of the API and the function that sends its answer in lines, as they are known.
type stagedEndpoint struct {
	path   string
	params []string // query parameters that it takes
	answer func(r *request, send func(progress) error) error
}
