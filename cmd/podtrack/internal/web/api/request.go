package api

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/schema"
)

// request is an HTTP request with its parsed query.
type request struct {
	*http.Request
	query url.Values
	err   error // of the first parameter whose value is not one
}

// maxTerms bounds how many values a parameter may have.
const maxTerms = 1000

// parseQuery reads the query. It returns an error for parameters other than params.
func parseQuery(raw string, params []string) (url.Values, error) {
	q, err := url.ParseQuery(raw)
	if err != nil {
		return nil, schema.Hint(reply.Errorf(http.StatusBadRequest, "the parameters: %v", err),
			"escape them as encodeURIComponent does")
	}
	for name, values := range q {
		if !slices.Contains(params, name) {
			return nil, schema.Hint(reply.Errorf(http.StatusBadRequest, "unknown parameter %q", name),
				"%s", known(params))
		}
		if len(values) > maxTerms {
			return nil, schema.Hint(reply.Errorf(http.StatusBadRequest, "%d times %s", len(values), name),
				"give at most %d terms", maxTerms)
		}
	}
	return q, nil
}

// known returns a remedy that lists the parameters.
func known(params []string) string {
	if len(params) == 0 {
		return "this address takes no parameters"
	}
	return "it takes " + strings.Join(params, ", ")
}

// refuse keeps the error of a parameter, unless there is one.
func (r *request) refuse(remedy, format string, args ...any) {
	if r.err == nil {
		r.err = schema.Hint(reply.Errorf(http.StatusBadRequest, format, args...), "%s", remedy)
	}
}

// one returns the value of a parameter that may be given once, or standard if it is
// absent.
func (r *request) one(name, standard string) string {
	switch values := r.query[name]; len(values) {
	case 0:
		return standard
	case 1:
		return values[0]
	default:
		r.refuse("give it once", "%d times %s", len(values), name)
		return standard
	}
}

// number returns the value of a parameter as a whole number from 0 to high, or
// standard if it is absent.
func (r *request) number(name string, standard, high int) int {
	text := r.one(name, strconv.Itoa(standard))
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > high {
		r.refuse(fmt.Sprintf("use a whole number from 0 to %d", high), "%s %q", name, text)
	}
	return n
}

// isOn reports whether a parameter is given as true; false if it is absent.
func (r *request) isOn(name string) bool {
	text := r.one(name, "false")
	if text != "true" && text != "false" {
		r.refuse("use true or false", "%s %q", name, text)
	}
	return text == "true"
}
