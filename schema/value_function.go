package schema

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
