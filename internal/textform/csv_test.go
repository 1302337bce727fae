package textform

import "testing"

func TestCSVCell(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "as-written": "as-written", "0.5": "0.5", "-1.5e-9": "-1.5e-9", "+Inf": "+Inf", "-NaN": "'-NaN",
		"-": "-", "+": "+",
		`=HYPERLINK("http://x")`: `'=HYPERLINK("http://x")`, "@SUM(A1)": "'@SUM(A1)", "-2+3": "'-2+3", "+a": "'+a",
		"\t=1": `\t=1`, "\r=1": `\u000d=1`, "=1\n": `'=1\n`, "＝1+1": "'＝1+1", "−1": "−1", "1/2-": "1/2-",
	} {
		if got := CSVCell(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
