package chart

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"html"
	"regexp"
	"strings"
	"unicode/utf16"
)

// pngChunk returns a chunk of a PNG: see the PNG specification, section 5.3.
func pngChunk(kind string, data []byte) []byte {
	chunk := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), kind...)
	chunk = append(chunk, data...)
	return binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
}

// pngDescription begins the chunk that has a caption: iTXt of the PNG specification, section 11.3.3.4, in UTF-8.
const pngDescription = "Description\x00\x00\x00\x00\x00"

// ReadCaption returns the caption that a picture of this package carries, "" if the file is none.
func ReadCaption(file []byte) string {
	if i := bytes.Index(file, []byte("iTXt"+pngDescription)); i >= 4 && bytes.HasPrefix(file, []byte("\x89PNG")) {
		text := file[i+4+len(pngDescription):]
		n := int(binary.BigEndian.Uint32(file[i-4:])) - len(pngDescription)
		return string(text[:max(0, min(n, len(text)))])
	}
	_, after, _ := bytes.Cut(file, []byte("<desc>"))
	if text, _, isSVG := bytes.Cut(after, []byte("</desc>")); isSVG {
		return html.UnescapeString(string(text))
	}
	_, after, _ = bytes.Cut(file, []byte("/Subject (\xfe\xff"))
	raw := pdfEscapes.Replace(string(pdfString.Find(after)))
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = binary.BigEndian.Uint16([]byte(raw[2*i:]))
	}
	return string(utf16.Decode(units))
}

// A string of a PDF ends at a parenthesis without a backslash, and has these escapes.
var (
	pdfString  = regexp.MustCompile(`^(?s:[^\\)]|\\.)*`)
	pdfEscapes = strings.NewReplacer(`\\`, `\`, `\(`, "(", `\)`, ")", `\r`, "\r")
)
