package external

import "testing"

// TestTraceback: of a traceback the place of the fault is kept, without marks and without what was said already.
func TestTraceback(t *testing.T) {
	var tail stderrTail
	_, _ = tail.Write([]byte(`Traceback (most recent call last):
  File "podtrack_loop.py", line 230, in answers
    members, payload = session.perform(request)
                       ~~~~~~~~~~~~~~~^^^^^^^^^
  File "/home/me/motor.py", line 12, in step
    if self.n > 50: raise RuntimeError("motor broke")
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
RuntimeError: motor broke
`))
	const place = `File "/home/me/motor.py", line 12, in step / if self.n > 50: raise RuntimeError("motor broke")`
	if got := tail.lastLines(`it says "RuntimeError: motor broke"`); got != place {
		t.Errorf("%s, want %s", got, place)
	}
	if got, want := tail.lastLines("exit status 1"), place+" / RuntimeError: motor broke"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
