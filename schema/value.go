package schema

// A Value is an option's value table v, one entry for each state.
type Value []float64

// Kind implements [ValueFunction].
func (v Value) Kind() Kind { return KindValue }

// Encode returns the record's bytes. Shape: [states]. Payload: f64.
func (v Value) Encode() ([]byte, error) { return v.AppendTo(nil) }

// AppendTo appends what [Value.Encode] returns to buf, for callers that encode one large
// table after the other.
func (v Value) AppendTo(buf []byte) ([]byte, error) {
	p := newRecordWriterAfter(buf, KindValue, 8*len(v), uint64(len(v)))
	p.floats(v)
	return p.finish(KindValue)
}

// checkValue does what [DecodeValue] does, but returns the bytes of the table.
func checkValue(record []byte) ([]byte, error) {
	shape, u, err := openRecord(record, KindValue, 1)
	if err != nil {
		return nil, err
	}
	v := u.floatBytes(shape[0])
	return v, wrapDecodeError(KindValue, u.end())
}

// DecodeValue decodes what [Value.Encode] returns.
func DecodeValue(record []byte) (Value, error) {
	v, err := checkValue(record)
	if err != nil {
		return nil, err
	}
	return decodeFloats(v), nil
}

// A ValueFunction is what an option's policy was derived from: a [Value] or a [Theta].
type ValueFunction interface {
	Kind() Kind
	// AppendTo appends the record's bytes to buf.
	AppendTo(buf []byte) ([]byte, error)
}

// DecodeValueFunction decodes a record of the given kind, [KindValue] or [KindTheta].
func DecodeValueFunction(kind Kind, record []byte) (ValueFunction, error) {
	if kind == KindTheta {
		return DecodeTheta(record)
	}
	return DecodeValue(record)
}
