package schema

import "encoding/binary"

// Initiation is the initiation set I of an option: state s is in it if bit s % 64 of word s / 64 is
// set. Bits beyond States are 0.
type Initiation struct {
	States int
	Words  []uint64
}

// DecodeInitiation decodes the initiation set of what [Option.Encode] returns. It checks the record
// as [DecodeOption] does, and unpacks nothing else of it.
func DecodeInitiation(record []byte) (Initiation, error) {
	p, err := checkOption(record)
	if err != nil {
		return Initiation{}, err
	}
	i := Initiation{States: int(p.policy.n), Words: make([]uint64, (p.policy.n+63)/64)}
	var last [8]byte
	for w := range i.Words {
		if at := p.initiation.bytes[8*w:]; len(at) >= 8 {
			i.Words[w] = binary.LittleEndian.Uint64(at)
		} else {
			copy(last[:], at)
			i.Words[w] = binary.LittleEndian.Uint64(last[:])
		}
	}
	return i, nil
}
