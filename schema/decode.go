package schema

import "fmt"

// Decode decodes a record of the given kind.
func Decode(kind Kind, record []byte) (any, error) {
	switch kind {
	case KindObservations:
		return DecodeObservations(record)
	case KindTransitions:
		return DecodeTransitions(record)
	case KindRewards:
		return DecodeRewards(record)
	case KindRows:
		return DecodeRows(record)
	case KindFactors:
		return DecodeFactors(record)
	case KindSelection:
		return DecodeSelection(record)
	case KindValue:
		return DecodeValue(record)
	case KindTheta:
		return DecodeTheta(record)
	case KindOption:
		return DecodeOption(record)
	case KindMeasures:
		return DecodeMeasures(record)
	case KindExternalMeasures:
		return DecodeExternalMeasures(record)
	case KindEvaluation:
		return DecodeEvaluation(record)
	}
	return nil, fmt.Errorf("%w: kind %q", ErrVersion, kind)
}

// CheckRecord returns the error that [Decode] would return for the record, without
// allocating its arrays. For the kinds with large tables it is the first half of decoding.
func CheckRecord(kind Kind, record []byte) error {
	var err error
	switch kind {
	case KindValue:
		_, err = checkValue(record)
	case KindTheta:
		_, _, err = checkTheta(record)
	case KindOption:
		_, err = checkOption(record)
	default:
		_, err = Decode(kind, record)
	}
	return err
}
