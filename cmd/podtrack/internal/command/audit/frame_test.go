package audit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/tracker"
)

// framed returns a document of a text and evidence.
func framed(t interface{ Fatal(...any) }, text string, evidence []byte) []byte {
	sum := sha256.Sum256(evidence)
	var out bytes.Buffer
	err := Write(&out, []byte(signature+text), Evidence{Bytes: int64(len(evidence)), SHA256: hex.EncodeToString(sum[:])},
		bytes.NewReader(evidence))
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func scanned(document []byte) (*scannedDocument, error) {
	return scan(context.Background(), bytes.NewReader(document), int64(len(document)))
}

// TestFrame: what is scanned in a document is what was written, in lines that a printer can take.
func TestFrame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		evidence := rapid.SliceOfN(rapid.Byte(), 1, 400).Draw(t, "evidence")
		text := rapid.SampledFrom([]string{"", "<p>text</p>\n", "<p>no line feed",
			strings.Repeat("long", 1<<15) + "\n"}).Draw(t, "text")
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		document := framed(t, text, evidence)
		d, err := scanned(document)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(d.open())
		if err != nil || !bytes.Equal(got, evidence) || string(d.Text) != signature+text {
			t.Fatalf("%v: %x, text %.100q", err, got, d.Text)
		}
		want := base64.StdEncoding.EncodeToString(evidence)
		lines := strings.Split(strings.TrimSuffix(string(document[len(d.Text):]), ending), "\n")
		if strings.Join(lines[1:], "") != want {
			t.Fatalf("the base64 is %q, want %q", lines[1:], want)
		}
		for _, line := range lines[1:] {
			if len(line) > lineSize {
				t.Fatalf("a line of %d characters", len(line))
			}
		}
	})
}

// TestEveryByteOfTheFrame: a frame with any other byte, or one less or more, is refused, or has
// another text, which writing the text again reveals.
func TestEveryByteOfTheFrame(t *testing.T) {
	for _, n := range []int{1, 2, 3, 56, 57, 58, 115} {
		text := "<p>a text</p>\n"
		document := framed(t, text, bytes.Repeat([]byte{0xa5}, n))
		refused := func(what string, damaged []byte) {
			t.Helper()
			d, err := scanned(damaged)
			switch {
			case err == nil && string(d.Text) == signature+text:
				t.Errorf("%d bytes, %s: accepted", n, what)
			case err != nil && !errors.Is(err, tracker.ErrDamaged) && !errors.Is(err, errNotDocument):
				t.Errorf("%d bytes, %s: %v", n, what, err)
			}
		}
		for i := range document {
			for _, with := range []byte{document[i] ^ 1, document[i] ^ 0x20, 0, ' ', '\n', '\r', '=', 'A', '<', '"'} {
				if with != document[i] {
					damaged := bytes.Clone(document)
					damaged[i] = with
					refused(fmt.Sprintf("byte %d is %q", i, with), damaged)
				}
			}
			refused(fmt.Sprintf("without byte %d", i), append(bytes.Clone(document[:i]), document[i+1:]...))
			refused(fmt.Sprintf("a line feed before byte %d", i),
				append(append(bytes.Clone(document[:i]), '\n'), document[i:]...))
			refused(fmt.Sprintf("the first %d bytes", i), document[:i])
		}
		refused("with more behind it", append(bytes.Clone(document), '\n'))
		refused("twice", append(bytes.Clone(document), document...))
	}
}

// TestNoDocument: what is wrong is said of files that are none, in part or at all, or that claim much.
func TestNoDocument(t *testing.T) {
	good := string(framed(t, "<p>text</p>\n", []byte("evidence")))
	line := strings.SplitN(strings.SplitN(good, "</p>\n", 2)[1], "\n", 2)[0] + "\n"
	for name, test := range map[string]struct {
		text, want string
		is         error
	}{
		"empty":         {"", "not an audit document", errNotDocument},
		"other HTML":    {"<!DOCTYPE html>\n<html></html>\n", "not an audit document", errNotDocument},
		"other version": {strings.Replace(good, "document 1", "document 2", 1), "of this version", errNotDocument},
		"CRLF":          {strings.ReplaceAll(good, "\n", "\r\n"), "line ends were changed", tracker.ErrDamaged},
		"CR":            {strings.ReplaceAll(good, "\n", "\r"), "line ends were changed", tracker.ErrDamaged},
		"CRLF alone":    {"\r\n", "not an audit document", errNotDocument},
		"other CRLF":    {"<!DOCTYPE html>\r\n<html></html>\r\n", "not an audit document", errNotDocument},
		"no evidence":   {signature + "<p>text</p>\n", "has no evidence", tracker.ErrDamaged},
		"two":           {strings.Replace(good, line, line+line, 1), "goes on after its end", tracker.ErrDamaged},
		"within a line": {strings.Replace(good, "</p>\n", "</p>", 1), "has no evidence", tracker.ErrDamaged},
		"much":          {strings.Replace(good, `"8"`, `"999999999999"`, 1), "ends too early", tracker.ErrDamaged},
		"too much":      {strings.Replace(good, `"8"`, `"99999999999999"`, 1), "the line that begins", tracker.ErrDamaged},
		"negative":      {strings.Replace(good, `"8"`, `"-8"`, 1), "the line that begins", tracker.ErrDamaged},
		"padded number": {strings.Replace(good, `"8"`, `"08"`, 1), "the line that begins", tracker.ErrDamaged},
		"no digest":     {strings.Replace(good, `sha256="`, `sha256="x`, 1), "the line that begins", tracker.ErrDamaged},
		"bad base64":    {strings.Replace(good, "ZXZ", "ZX!", 1), "not base64", tracker.ErrDamaged},
		"other base64":  {strings.Replace(good, "ZXZ", "ZXY", 1), "SHA-256", tracker.ErrDamaged},
		"an attribute": {strings.Replace(good, " data-bytes", ` src="x" data-bytes`, 1), "has no evidence",
			tracker.ErrDamaged},
		"endless text": {signature + strings.Repeat("x", maxText+1), "in its first 32 MiB", tracker.ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := scanned([]byte(test.text))
			if !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
	if _, err := scanned([]byte(good)); err != nil {
		t.Error(err)
	}
}

// FuzzScan: no file ends the program, and whatever is a document is what [Write] writes of its text
// and evidence.
func FuzzScan(f *testing.F) {
	f.Add([]byte(signature))
	for _, n := range []int{1, 57, 200} {
		f.Add(framed(f, "<p>text</p>\n", bytes.Repeat([]byte{7}, n)))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		d, err := scanned(file)
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := Write(&again, d.Text, d.Evidence, d.open()); err != nil || !bytes.Equal(again.Bytes(), file) {
			t.Errorf("%v: %q is read like %q", err, file, again.Bytes())
		}
	})
}
