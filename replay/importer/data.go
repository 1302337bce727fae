package importer

import "github.com/podtrack/podtrack/schema"

// Data holds the imported records of iteration 0.
type Data struct {
	Records [][]byte
	Digest  schema.Digest // for the spec
	Steps   int64         // transitions, or rows of D
	Dims    int           // features of a plain D, 0 for transitions
}

// newData computes the digest of records of one kind.
func newData(kind schema.Kind, records [][]byte, steps int64, dims int) (Data, error) {
	entries := make([]schema.Entry, len(records))
	for i, record := range records {
		entries[i] = schema.Entry{Kind: kind, Name: schema.Name(record)}
	}
	digest, err := schema.DataDigest(entries)
	return Data{Records: records, Digest: digest, Steps: steps, Dims: dims}, err
}
