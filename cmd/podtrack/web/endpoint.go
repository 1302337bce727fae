package web

// endpoint is a path of the API and the function that answers it.
type endpoint struct {
	path   string
	params []string // query parameters that it takes
	heavy  bool     // it may take seconds of processor time
	about  about    // what the answer depends on, nil if that is unknown
	answer func(*request) (answer, error)
}

// about is a function that returns what an answer depends on, without computing the
// answer: mostly the runs, as lists show them.
type about func(*request) (any, error)

// stagedEndpoint is a path of the API and the function that sends its answer in lines, as they are known.
type stagedEndpoint struct {
	path   string
	params []string // query parameters that it takes
	answer func(r *request, send func(progress) error) error
}
