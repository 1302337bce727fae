package schema

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema/wire"
)

// optionMeta is the CBOR item at the front of an option record's payload.
type optionMeta struct {
	J           int         `cbor:"j"`
	Sign        int         `cbor:"sign"`
	Sigma       float64     `cbor:"sigma"`
	Certificate Certificate `cbor:"certificate"`
	Start       *int        `cbor:"start,omitempty"`
}

func (o optionMeta) check() error {
	if o.J < 1 || o.Sign != 1 && o.Sign != -1 {
		return fmt.Errorf("%w: purpose %d with sign %d", wire.ErrMalformed, o.J, o.Sign)
	}
	if t := o.Certificate.Termination; !slices.Contains(terminations, t) {
		return fmt.Errorf("%w: unknown termination %q", wire.ErrMalformed, t)
	}
	return nil
}

// decode reads the item at the front of an option record's payload, without reflection if
// it has its usual form.
func (o *optionMeta) decode(u *recordReader) {
	if u.Failed() {
		return
	}
	r := u.CBOR()
	if quick := readOptionMeta(&r); !r.Failed() {
		*o = quick
		u.ContinueAfter(&r)
		return
	}
	u.ReadCBOR(o)
}

// readOptionMeta reads the item without a start.
func readOptionMeta(r *wire.CBORReader) (m optionMeta) {
	r.ReadMap(4)
	r.ReadKey("j")
	m.J = r.ReadInt()
	r.ReadKey("sign")
	m.Sign = r.ReadInt()
	r.ReadKey("sigma")
	m.Sigma = r.ReadFloat()
	r.ReadKey("certificate")
	m.Certificate = readCertificate(r)
	return m
}

// readCertificate reads a certificate without the fields that only learners without a model
// set.
func readCertificate(r *wire.CBORReader) (c Certificate) {
	r.ReadMap(8)
	r.ReadKey("null")
	c.Null = r.ReadBool()
	r.ReadKey("reach")
	c.Reach = r.ReadOptionalFloat()
	r.ReadKey("peak_q")
	c.PeakQ = r.ReadFloat()
	r.ReadKey("acyclic")
	c.Acyclic = r.ReadBool()
	r.ReadKey("longest")
	c.Longest = PathLength(r.ReadInt64())
	r.ReadKey("tolerance")
	c.Tolerance = r.ReadFloat()
	r.ReadKey("initiation")
	c.Initiation = r.ReadInt64()
	r.ReadKey("termination")
	c.Termination = wire.ReadWord(r, terminations)
	return c
}
