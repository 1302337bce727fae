package schema

import "encoding/binary"

// AppendEntries appends to b what [Marshal] returns for the records of an iteration,
// [[kind, name] …], without reflection: a store has as many entries as records.
func AppendEntries(b []byte, entries []Entry) []byte {
	b = appendHead(b, majorArray, len(entries))
	for _, e := range entries {
		b = appendHead(b, majorArray, 2)
		b = append(appendHead(b, majorText, len(e.Kind)), e.Kind...)
		b = append(appendHead(b, majorBytes, len(e.Name)), e.Name[:]...)
	}
	return b
}

// appendHead appends the head of an item of the given major type and length, in its
// shortest form (RFC 8949 §4.2.1).
func appendHead(b []byte, major byte, n int) []byte {
	major <<= 5
	switch {
	case n < 24:
		return append(b, major|byte(n))
	case n < 1<<8:
		return append(b, major|24, byte(n))
	case n < 1<<16:
		return binary.BigEndian.AppendUint16(append(b, major|25), uint16(n))
	}
	return binary.BigEndian.AppendUint32(append(b, major|26), uint32(n))
}
