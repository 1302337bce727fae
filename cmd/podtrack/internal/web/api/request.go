package api

import (
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

// one returns the value of a parameter that may be given once, or standard if it is
// absent.
func (r *request) one(name, standard string) (string, error) {
	switch values := r.query[name]; len(values) {
	case 0:
		return standard, nil
	case 1:
		return values[0], nil
	default:
		return "", schema.Hint(reply.Errorf(http.StatusBadRequest, "%d times %s", len(values), name), "give it once")
	}
}

// number returns the value of a parameter as a whole number from low to high, or
// standard if it is absent.
func (r *request) number(name string, standard, low, high int64) (int64, error) {
	text, err := r.one(name, strconv.FormatInt(standard, 10))
	if err != nil || !r.query.Has(name) {
		return standard, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < low || n > high {
		return 0, schema.Hint(reply.Errorf(http.StatusBadRequest, "%s %q", name, text),
			"use a whole number from %d to %d", low, high)
	}
	return n, nil
}

// isOn reports whether a parameter is given as true; false if it is absent.
func (r *request) isOn(name string) (bool, error) {
	text, err := r.one(name, "false")
	if err != nil || text == "false" {
		return false, err
	}
	if text != "true" {
		return false, schema.Hint(reply.Errorf(http.StatusBadRequest, "%s %q", name, text), "use true or false")
	}
	return true, nil
}
