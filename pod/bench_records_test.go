package pod_test

import (
	"context"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// encoding is a record of an iteration, as a benchmark encodes and decodes it.
type encoding struct {
	name   string
	encode func() ([]byte, error)
	decode func([]byte) error
}

func encodingOf[T interface{ Encode() ([]byte, error) }](name string, x T, decode func([]byte) (T, error)) encoding {
	return encoding{name, x.Encode, func(record []byte) error { _, err := decode(record); return err }}
}

// encodings returns one record of each kind that the last iteration of a run of the
// paper makes, and a chunk of a long walk. They are made here, above package
// schema, since only the algorithm makes real ones.
func encodings(b *testing.B) []encoding {
	b.Helper()
	s := prepare(b, "as-published")
	o, v, err := pod.NewModelLearner(s.env, s.spec).Learn(context.Background(), s.purposes[0])
	if err != nil {
		b.Fatal(err)
	}
	t := pod.NewTransitionStats(s.env, pod.OptionSet{Options: s.options}, 0)
	if err := t.Add(&s.chunk); err != nil {
		b.Fatal(err)
	}
	primitive := s
	primitive.options = nil
	return []encoding{
		encodingOf("transitions", s.chunk, schema.DecodeTransitions),
		encodingOf("transitions-long", primitive.walk(schema.ChunkSteps), schema.DecodeTransitions),
		encodingOf("factors", s.factors, schema.DecodeFactors),
		encodingOf("value", v, schema.DecodeValue),
		encodingOf("option", *o, schema.DecodeOption),
		encodingOf("measures", t.Measures(len(s.purposes)/2, len(s.purposes)), schema.DecodeMeasures),
	}
}

// eachRecord runs a benchmark for each record; MB/s are of its bytes.
func eachRecord(b *testing.B, operate func(e encoding, record []byte) error) {
	for _, e := range encodings(b) {
		b.Run(e.name, func(b *testing.B) {
			record, err := e.encode()
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(record)))
			for b.Loop() {
				if err := operate(e, record); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	eachRecord(b, func(e encoding, _ []byte) error { _, err := e.encode(); return err })
}

func BenchmarkDecode(b *testing.B) {
	eachRecord(b, func(e encoding, record []byte) error { return e.decode(record) })
}

func BenchmarkName(b *testing.B) {
	eachRecord(b, func(_ encoding, record []byte) error { schema.Name(record); return nil })
}
