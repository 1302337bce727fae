package importer_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/importer"
	"github.com/podtrack/podtrack/schema/schematest"
)

var ok = schematest.Must

// npy returns an array of version 1 with the header's dictionary as given.
func npy(dict string, data []byte) []byte {
	out := append([]byte("\x93NUMPY\x01\x00"), 0, 0)
	binary.LittleEndian.PutUint16(out[8:], uint16(len(dict)))
	return append(append(out, dict...), data...)
}

func dict(descr string, fortran bool, shape string) string {
	order := "False"
	if fortran {
		order = "True"
	}
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }\n", descr, order, shape)
}

// vector returns an array of little-endian numbers with one axis.
func vector[T any](t testing.TB, descr string, xs ...T) []byte {
	t.Helper()
	data, err := binary.Append(nil, binary.LittleEndian, xs)
	ok(t, err)
	return npy(dict(descr, false, fmt.Sprintf("%d,", len(xs))), data)
}

// matrix returns an array of float64 with rows of d.
func matrix(t testing.TB, d int, xs ...float64) []byte {
	t.Helper()
	data, err := binary.Append(nil, binary.LittleEndian, xs)
	ok(t, err)
	return npy(dict("<f8", false, fmt.Sprintf("%d, %d", len(xs)/d, d)), data)
}

// member is one of an archive.
type member struct {
	name string
	data []byte
}

// archive packs members; those of a name that ends in ! are stored and not
// deflated.
func archive(t testing.TB, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range members {
		name, stored := strings.CutSuffix(m.name, "!")
		method := zip.Deflate
		if stored {
			method = zip.Store
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: method})
		ok(t, err)
		_, err = w.Write(m.data)
		ok(t, err)
	}
	ok(t, z.Close())
	return b.Bytes()
}

// read takes whatever data an archive has: transitions of the ring of some bits,
// or a plain D.
func read(t testing.TB, data []byte, bits int64) (importer.Data, error) {
	t.Helper()
	a, err := importer.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return importer.Data{}, err
	}
	s, err := a.FindSource(nil, "")
	if err != nil {
		return importer.Data{}, err
	}
	if s.As == importer.AsDelta {
		return s.ReadRows(t.Context())
	}
	return s.ReadTransitions(t.Context(), ring(t, bits))
}

func ring(t testing.TB, bits int64) envs.SteppableEnv {
	t.Helper()
	e, err := envs.DefaultEnv("ring")
	ok(t, err)
	e.Params["bits"] = bits
	env, err := envs.NewEnv(e)
	ok(t, err)
	return env.(envs.SteppableEnv)
}
