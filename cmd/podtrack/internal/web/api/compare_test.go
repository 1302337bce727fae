package api

import "testing"

// TestComparedGroups: groups come as a and b, one by one, or as a filter that is split, and in no other way.
func TestComparedGroups(t *testing.T) {
	h := New(optionsFor(filled(t)))
	for query, want := range map[string]int{
		"a=seed%3D0&b=seed%3D1":                            200,
		"group=seed%3D0&group=seed%3D1":                    200,
		"group=seed%3D0&group=seed%3D1&group=seed%3D0-1":   200,
		"q=seed%3D0-1&by=seed":                             200,
		"q=seed%3D0-1&by=seed&baseline=1":                  200,
		"":                                                 400,
		"a=seed%3D0":                                       400,
		"group=seed%3D0":                                   400,
		"a=seed%3D0&group=seed%3D1":                        400,
		"a=seed%3D0&b=seed%3D1&by=seed":                    400,
		"group=seed%3D0&group=seed%3D1&q=seed%3D0":         400,
		"q=seed%3D0-1":                                     400,
		"q=seed%3D0-1&by=sed":                              400,
		"q=seed%3D0-1&by=steps":                            400,
		"q=seed%3D0-1&by=seed&baseline=7":                  400,
		"group=seed%3D0&group=seed%3D1&baseline=1":         400,
		"group=seed%3D0&group=seed%3D77":                   404,
		"group=seed%3D0&group=seed%3D1&measure=distanc":    400,
		"group=seed%3D0&group=seed%3D1&paired=sed":         400,
		"q=seed%3D0-1&by=seed&by=kappa":                    400,
		"group=seed%3D0-1&group=seed%3D0-1&paired=numbers": 400,
	} {
		if w := ask(h, "/api/compare?"+query); w.Code != want {
			t.Errorf("%s: status %d, want %d: %s", query, w.Code, want, w.Body)
		}
	}
}
