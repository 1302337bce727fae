package schema

import (
	"fmt"
	"math"
	"slices"

	"github.com/podtrack/podtrack/schema/wire"
)

// A Selection records for each direction with σ > 0 whether it became options, and why. If the rule keeps small
// σ, it has the directions with σ = 0 too.
type Selection struct {
	Directions []Direction // by j, which counts from 1
}

// A Direction is the decision on one direction.
type Direction struct {
	Sigma   float64
	Reason  Reason  // [Kept], or why it was rejected
	Number  float64 // what the rule compared, finite: see [Rule]
	Nearest int32   // number of the most similar option, or [NoOption]
	Sign    Sign    // of the direction's purposes
}

// A Sign is the sign of a direction's purposes, or both.
type Sign int8

// The signs.
const (
	BothSigns Sign = 0
	Plus      Sign = 1
	Minus     Sign = -1
)

// A Reason is why a direction was kept or rejected.
type Reason uint8

// The reasons.
const (
	Kept     Reason = iota
	Noise           // the number compared with κ does not exceed it
	Rank            // not among the first N
	Share           // the directions before it already have the share of Σσ²
	Draw            // not drawn
	Known           // the action set has a similar purpose
	Large           // the number compared with κ exceeds it
	Declined        // by a program, which gives no reason
)

var reasons = [...]string{"kept", "noise", "rank", "share", "draw", "known", "large", "declined"}

// String returns the reason's code.
func (r Reason) String() string {
	if int(r) >= len(reasons) {
		return fmt.Sprintf("reason %d", uint8(r))
	}
	return reasons[r]
}

// ParseReason returns the reason with that code, and whether the code is known.
func ParseReason(code string) (Reason, bool) {
	at := slices.Index(reasons[:], code)
	return Reason(max(at, 0)), at >= 0
}

// MarshalText implements encoding.TextMarshaler.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// NoOption is the Nearest of a direction that was not compared with any option.
const NoOption = -1

// Encode returns the record's bytes. Shape: [directions]. Payload: sigma f64 ‖ numbers f64 ‖ nearest i32 ‖ reasons
// packed. If directions have one sign each, it has version 2, with the signs, packed, 1 for −, at the end.
func (s Selection) Encode() ([]byte, error) {
	if err := s.checkSigns(); err != nil {
		return nil, fmt.Errorf("encode selection record: %w", err)
	}
	n := len(s.Directions)
	sigma, numbers, nearest := make([]float64, n), make([]float64, n), make([]uint32, n)
	codes, signs := make([]uint8, n), make([]uint8, n)
	for i, d := range s.Directions {
		sigma[i], numbers[i], nearest[i], codes[i] = d.Sigma, d.Number, uint32(d.Nearest), uint8(d.Reason)
		if d.Sign == Minus {
			signs[i] = 1
		}
	}
	version := uint64(recordVersion)
	if s.hasSigns() {
		version = signedVersion
	}
	p := newVersionedWriter(nil, KindSelection, version, 22*n, uint64(n))
	p.WriteFloats(sigma)
	p.WriteFloats(numbers)
	p.WriteUint32s(nearest...)
	p.WritePacked(codes, wire.PackedWidth(uint64(len(reasons))), uint64(len(reasons)))
	if s.hasSigns() {
		p.WritePacked(signs, 1, 2)
	}
	return p.Finish(KindSelection)
}

// DecodeSelection decodes what [Selection.Encode] returns.
func DecodeSelection(record []byte) (Selection, error) {
	return decodeRecord(record, KindSelection, 1, (*recordReader).readSelection, Selection.check)
}

func (r *recordReader) readSelection() (s Selection) {
	n := r.Shape[0]
	r.require(n <= maxDims)
	sigma, numbers, nearest := r.ReadFloats(n), r.ReadFloats(n), r.ReadUint32s(n)
	codes := r.ReadPacked(n, wire.PackedWidth(uint64(len(reasons))), uint64(len(reasons)))
	var signs []uint8
	if r.Version == signedVersion {
		signs = r.ReadPacked(n, 1, 2)
	}
	if r.Version == signedVersion && n == 0 {
		r.Fail(fmt.Errorf("%w: signs of no directions", wire.ErrNotCanonical))
	}
	if r.Failed() {
		return s
	}
	for i := range codes {
		s.Directions = append(s.Directions, Direction{Sigma: sigma[i], Reason: Reason(codes[i]), Number: numbers[i],
			Nearest: int32(nearest[i])})
		if signs != nil {
			s.Directions[i].Sign = [...]Sign{Plus, Minus}[signs[i]]
		}
	}
	return s
}

func (s Selection) check() error {
	for i, d := range s.Directions {
		if !(d.Sigma >= 0) || math.Signbit(d.Sigma) || i > 0 && d.Sigma > s.Directions[i-1].Sigma {
			return fmt.Errorf("%w: singular value %d is out of order", wire.ErrNotCanonical, i)
		}
		if d.Nearest < NoOption {
			return fmt.Errorf("%w: direction %d names option %d as the nearest", wire.ErrMalformed, i, d.Nearest)
		}
	}
	return nil
}

// hasSigns reports whether each direction has one sign.
func (s Selection) hasSigns() bool { return len(s.Directions) > 0 && s.Directions[0].Sign != BothSigns }

// checkSigns returns an error if some directions have a sign and others do not.
func (s Selection) checkSigns() error {
	for i, d := range s.Directions {
		if (d.Sign != BothSigns) != s.hasSigns() || d.Sign < Minus || d.Sign > Plus {
			return fmt.Errorf("%w: direction %d has sign %d", wire.ErrMalformed, i, d.Sign)
		}
	}
	return nil
}
