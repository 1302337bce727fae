package schema

import "encoding/binary"

// The major types of RFC 8949 §3.1, and null.
const (
	majorUint  = 0
	majorNint  = 1
	majorBytes = 2
	majorText  = 3
	majorArray = 4
	majorMap   = 5

	null = 0xf6
)

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
