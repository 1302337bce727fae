package schema

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"

	"github.com/podtrack/podtrack/schema/wire"
)

// ExternalMeasures are what an external stage measured in an iteration, by name. A nil measure is undefined.
type ExternalMeasures map[string]*float64

// maxExternalMeasures is the largest number of measures that an external stage may declare.
const maxExternalMeasures = 64

const maxMeasureNameBytes = 40

var measureNamePattern = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// isMeasureName reports whether an external measure may have the name.
func isMeasureName(name string) bool {
	return len(name) <= maxMeasureNameBytes && measureNamePattern.MatchString(name)
}

// Encode returns the record's bytes. Shape: []. Payload: one CBOR map.
func (e ExternalMeasures) Encode() ([]byte, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	p := newRecordWriter(KindExternalMeasures, 64*len(e))
	p.WriteCBOR(map[string]*float64(e))
	return p.Finish(KindExternalMeasures)
}

// DecodeExternalMeasures decodes what [ExternalMeasures.Encode] returns.
func DecodeExternalMeasures(record []byte) (ExternalMeasures, error) {
	_, u, err := openRecord(record, KindExternalMeasures, 0)
	if err != nil {
		return nil, err
	}
	var m ExternalMeasures
	u.ReadCBOR(&m)
	return finishRecord(u, m, m.check)
}

// check returns [wire.ErrMalformed] unless a record may have these names and numbers.
func (e ExternalMeasures) check() error {
	if len(e) > maxExternalMeasures {
		return fmt.Errorf("%w: %d measures, more than %d", wire.ErrMalformed, len(e), maxExternalMeasures)
	}
	for _, name := range slices.Sorted(maps.Keys(e)) {
		switch x := e[name]; {
		case !isMeasureName(name):
			return fmt.Errorf("%w: invalid measure name %.80q", wire.ErrMalformed, name)
		case x != nil && (math.IsNaN(*x) || math.IsInf(*x, 0) || *x == 0 && math.Signbit(*x)):
			return fmt.Errorf("%w: measure %s is %v", wire.ErrMalformed, name, *x)
		}
	}
	return nil
}
