package audit

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/tracker"
)

// A document is: the signature, the text, the opening line, the evidence in base64 in lines of 76
// characters of which only the last may be shorter, and the ending. Nothing else is a document, so
// that every byte of a file counts.
const (
	signature = "<!DOCTYPE html>\n<!-- podtrack audit document 1 -->\n"
	opening   = `<script type="application/vnd.podtrack.evidence" data-bytes="%d" data-sha256="%s">` + "\n"
	ending    = "</script>\n</body>\n</html>\n"
)

const (
	lineSize = 76       // characters of base64 in a line
	maxText  = 32 << 20 // bytes before the evidence
)

// errNotDocument is the error of a file that does not begin like an audit document.
var errNotDocument = errors.New("not an audit document of podtrack")

// errLongText is the error of a text that is too long for a document.
var errLongText = errors.New("the text of the document is too long")

// Evidence describes the evidence in a document.
type Evidence struct {
	Bytes  int64
	SHA256 string // in hexadecimal
}

func (e Evidence) line() string { return fmt.Sprintf(opening, e.Bytes, e.SHA256) }

// checkText returns an [errLongText] for a text that no document can have.
func checkText(text []byte) error {
	if len(text) > maxText {
		return fmt.Errorf("%w: it has %d MiB, and may have %d", errLongText, len(text)>>20, maxText>>20)
	}
	return nil
}

// Write writes a document of a text, which is what [document.Page.Text] returns, and its evidence.
func Write(w io.Writer, text []byte, e Evidence, evidence io.Reader) error {
	if err := checkText(text); err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	_, _ = out.Write(text) // Flush returns the first error
	_, _ = out.WriteString(e.line())
	_, err := writeLines(out, evidence)
	_, _ = out.WriteString(ending)
	return errors.Join(err, out.Flush())
}

// writeLines writes evidence in lines of base64, and returns its length in bytes.
func writeLines(w io.Writer, evidence io.Reader) (n int64, err error) {
	lines := &lineWriter{w: w}
	encoder := base64.NewEncoder(base64.StdEncoding, lines)
	n, err = io.Copy(encoder, evidence)
	if err = errors.Join(err, encoder.Close()); err == nil && lines.column > 0 {
		_, err = io.WriteString(w, "\n")
	}
	return n, err
}

// lineWriter ends each line after lineSize characters.
type lineWriter struct {
	w      io.Writer
	column int
}

func (l *lineWriter) Write(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		part := p[n:min(len(p), n+lineSize-l.column)]
		_, err = l.w.Write(part)
		n, l.column = n+len(part), l.column+len(part)
		if l.column == lineSize && err == nil {
			_, err = io.WriteString(l.w, "\n")
			l.column = 0
		}
	}
	return n, err
}

// scannedDocument is a document whose frame was verified.
type scannedDocument struct {
	Text []byte // what is before the evidence
	Evidence

	file   io.ReaderAt
	offset int64 // of the base64
	length int64 // of the base64 with its line feeds
}

// open returns a reader of the evidence.
func (s *scannedDocument) open() io.Reader {
	return base64.NewDecoder(base64.StdEncoding.Strict(), s.lines()) // which passes over line ends wherever they are
}

// lines returns a reader of the evidence in lines of base64.
func (s *scannedDocument) lines() *bufio.Reader {
	return bufio.NewReaderSize(io.NewSectionReader(s.file, s.offset, s.length), 1<<16)
}

// scan reads a document of that many bytes unless ctx is cancelled, and verifies that the evidence has the digest that
// it is said to have. It keeps the text in memory, and nothing else. The error of a file that is a
// document in part is a [tracker.ErrDamaged].
func scan(ctx context.Context, file io.ReaderAt, size int64) (*scannedDocument, error) {
	file = heedingReader{ctx, file}
	text, line, err := scanText(bufio.NewReaderSize(io.NewSectionReader(file, 0, size), 1<<16))
	if err != nil {
		return nil, err
	}
	d := &scannedDocument{Text: text, file: file, offset: int64(len(text) + len(line))}
	if d.Evidence, err = parseOpening(line); err != nil {
		return nil, err
	}
	d.length = size - d.offset - int64(len(ending))
	if characters := 4 * ((d.Bytes + 2) / 3); d.length != characters+(characters+lineSize-1)/lineSize {
		return nil, damaged("it ends too early, or goes on after its end")
	}
	last := make([]byte, len(ending))
	if _, err := file.ReadAt(last, size-int64(len(ending))); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if string(last) != ending {
		return nil, damaged("what follows the evidence is not what podtrack writes")
	}
	return d, d.verify()
}

// scanText returns the text before the evidence, and the line that begins the evidence.
func scanText(in *bufio.Reader) (text []byte, line string, err error) {
	head := make([]byte, len(signature))
	if n, err := io.ReadFull(in, head); err != nil && !isEnd(err) {
		return nil, "", err
	} else if string(head[:n]) != signature {
		return nil, "", otherSignature(string(head[:n]))
	}
	begin, _, _ := strings.Cut(opening, "%")
	text = append(text, head...)
	for {
		part, err := in.ReadSlice('\n')
		full := errors.Is(err, bufio.ErrBufferFull)
		switch startsLine := text[len(text)-1] == '\n'; {
		case err != nil && !full && !isEnd(err):
			return nil, "", err
		case startsLine && strings.HasPrefix(string(part), begin) && err == nil:
			return text, string(part), nil
		case len(text)+len(part) > maxText:
			return nil, "", damaged("it has no evidence in its first %d MiB", maxText>>20)
		case err != nil && !full:
			return nil, "", damaged("it has no evidence, or ends before it")
		}
		text = append(text, part...)
	}
}

func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// otherSignature returns the error of a file that begins with other bytes than a document. A document whose lines end
// in another way is damaged: mail and version control change them.
func otherSignature(head string) error {
	plain := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(head)
	if plain != head && len(plain) > len(signature)/2 && strings.HasPrefix(signature, strings.TrimSuffix(plain, "\n")) {
		return damaged("its line ends were changed, from LF to another kind, as mail and version control do")
	}
	if format, _, found := strings.Cut(signature, " 1 "); found && strings.HasPrefix(head, format) {
		return fmt.Errorf("%w of this version", errNotDocument)
	}
	return errNotDocument
}

func parseOpening(line string) (e Evidence, err error) {
	fields := strings.Split(line, `"`)
	if len(fields) != 7 {
		return e, damaged("the line that begins its evidence")
	}
	e.SHA256 = fields[5]
	e.Bytes, err = strconv.ParseInt(fields[3], 10, 64)
	digest, hexErr := hex.DecodeString(e.SHA256)
	if err != nil || hexErr != nil || len(digest) != sha256.Size || e.Bytes < 1 || e.Bytes > 1<<40 || e.line() != line {
		return e, damaged("the line that begins its evidence")
	}
	return e, nil
}

// verify reads the evidence, compares its length and digest, and writes it again to compare its lines.
func (s *scannedDocument) verify() error {
	sum, lines, again := sha256.New(), sha256.New(), sha256.New()
	n, err := writeLines(again, io.TeeReader(s.open(), sum))
	if err == nil {
		_, err = io.Copy(lines, s.lines())
	}
	var corrupt base64.CorruptInputError
	switch {
	case errors.As(err, &corrupt), errors.Is(err, io.ErrUnexpectedEOF),
		err == nil && !bytes.Equal(lines.Sum(nil), again.Sum(nil)):
		return damaged("its evidence is not base64 as podtrack writes it")
	case err != nil:
		return err
	case n != s.Bytes || hex.EncodeToString(sum.Sum(nil)) != s.SHA256:
		return damaged("its evidence does not have the SHA-256 that the document states")
	}
	return nil
}

// heedingReader is a file whose reads fail once the context is cancelled.
type heedingReader struct {
	ctx context.Context
	io.ReaderAt
}

// ReadAt implements [io.ReaderAt].
func (h heedingReader) ReadAt(p []byte, at int64) (int, error) {
	if err := h.ctx.Err(); err != nil {
		return 0, err
	}
	return h.ReaderAt.ReadAt(p, at)
}

func damaged(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, tracker.ErrDamaged)...)
}
