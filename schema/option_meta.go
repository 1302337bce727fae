package schema

import "fmt"

// optionMeta is the CBOR item at the front of an option record's payload.
type optionMeta struct {
	J           int         `cbor:"j"`
	Sign        int         `cbor:"sign"`
	Sigma       float64     `cbor:"sigma"`
	Certificate Certificate `cbor:"certificate"`
}

func (m optionMeta) check() error {
	if m.J < 1 || m.Sign != 1 && m.Sign != -1 {
		return fmt.Errorf("%w: purpose %d with sign %d", ErrMalformed, m.J, m.Sign)
	}
	switch t := m.Certificate.Termination; t {
	case Proved, Observed, Unknown:
		return nil
	default:
		return fmt.Errorf("%w: termination %q", ErrMalformed, t)
	}
}

// decode reads the item at the front of an option record's payload, without reflection if
// it has its usual form.
func (m *optionMeta) decode(u *recordReader) {
	if u.err != nil {
		return
	}
	r := NewCBORReader(u.buf)
	if quick := r.optionMeta(); !r.failed {
		*m, u.buf = quick, r.rest
		return
	}
	u.readCBOR(m)
}

func (r *CBORReader) optionMeta() (m optionMeta) {
	r.ReadMap(4)
	r.ReadKey("j")
	m.J = r.ReadInt()
	r.ReadKey("sign")
	m.Sign = r.ReadInt()
	r.ReadKey("sigma")
	m.Sigma = r.ReadFloat()
	r.ReadKey("certificate")
	m.Certificate = r.certificate()
	return m
}

// certificate reads a certificate without the fields that only learners without a model
// set.
func (r *CBORReader) certificate() (c Certificate) {
	r.ReadMap(8)
	r.ReadKey("null")
	c.Null = r.readBool()
	r.ReadKey("reach")
	c.Reach = r.optionalFloat()
	r.ReadKey("peak_q")
	c.PeakQ = r.ReadFloat()
	r.ReadKey("acyclic")
	c.Acyclic = r.readBool()
	r.ReadKey("longest")
	c.Longest = PathLength(r.ReadInt64())
	r.ReadKey("tolerance")
	c.Tolerance = r.ReadFloat()
	r.ReadKey("initiation")
	c.Initiation = r.ReadInt64()
	r.ReadKey("termination")
	c.Termination = r.termination()
	return c
}

func (r *CBORReader) termination() Termination {
	b := r.take(r.readHead(majorText))
	for _, t := range []Termination{Proved, Observed, Unknown} {
		if string(t) == string(b) {
			return t
		}
	}
	r.failed = true
	return ""
}
