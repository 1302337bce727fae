package web

import "testing"

// TestAddress: a command that a page can show has an address there, with its flags, and no other.
func TestAddress(t *testing.T) {
	s := site{pages: []served{{path: "why"}, {path: "plot-walk"}}}
	s.pages[0].Name, s.pages[0].Served = "why", []string{"forward"}
	s.pages[1].Name, s.pages[1].Served = "plot walk", []string{}
	for want, words := range map[string][]string{
		"why?forward=true&of=a%3A0%2F1%2B": {"why", "a:0/1+", "--forward"},
		"plot-walk?of=a":                   {"plot", "walk", "a"},
		"":                                 {"why", "a:0/1+", "-o", "audit.html"},
	} {
		if got := s.address(words); got != want {
			t.Errorf("%q: %s, want %s", words, got, want)
		}
	}
	for _, words := range [][]string{{"rm", "a"}, {"why", "a", "--force"}, {"plot"}, nil} {
		if got := s.address(words); got != "" {
			t.Errorf("%q: %s", words, got)
		}
	}
}

// TestSorted: the title of a column sorts by it, downwards if it does already, in place of the best.
func TestSorted(t *testing.T) {
	for query, want := range map[string]string{
		"q=seed%3C3":    "ls?q=seed%3C3&sort=kappa",
		"sort=kappa":    "ls?sort=-kappa",
		"best=distance": "ls?sort=kappa",
	} {
		a := asked{path: "ls", query: query}
		a.Name = "ls"
		if got := a.sorted()("kappa"); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}
