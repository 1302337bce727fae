package runset

import (
	"bytes"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

const maxTemplates = 32

// A SpecCache decodes a sequence of specs most of which differ from an earlier one only in the seed, as the
// runs of a sweep do. It is not safe for concurrent use. The zero value is an empty cache.
type SpecCache struct {
	templates []specTemplate
	next      int // template to replace next when the cache is full
}

// A specTemplate is a canonical spec without its seed.
type specTemplate struct {
	before, after []byte
	spec          schema.Spec
}

// Read reads a spec that matches a template and also returns its bytes. The reader fails if there is no match.
func (s *SpecCache) Read(r *wire.CBORReader) (spec schema.Spec, encoded []byte) {
	input := r.Rest()
	for i := range s.templates {
		f := &s.templates[i]
		rest, ok := bytes.CutPrefix(input, f.before)
		if !ok || r.Failed() {
			continue
		}
		seedReader := wire.NewCBORReader(rest)
		seed := seedReader.ReadUint()
		if rest, ok = bytes.CutPrefix(seedReader.Rest(), f.after); !ok || seedReader.Failed() {
			continue
		}
		r.Skip(len(input) - len(rest))
		spec = f.spec
		spec.Seed, spec.Env = seed, f.spec.Env.Clone()
		return spec, input[:len(input)-len(rest)]
	}
	r.Fail()
	return schema.Spec{}, nil
}

// Add adds the template of a spec, unless it has data. Keys are in the order of their
// encodings: env, then data if any, then seed, then the others.
func (s *SpecCache) Add(spec schema.Spec) error {
	encoded, err := wire.Marshal(spec)
	if err != nil {
		return err
	}
	env, err := wire.Marshal(spec.Env)
	if err != nil {
		return err
	}
	seed := 1 + len("\x63env") + len(env) + len("\x64seed") // its offset
	if seed > len(encoded) || !bytes.HasSuffix(encoded[:seed], []byte("\x64seed")) {
		return nil
	}
	r := wire.NewCBORReader(encoded[seed:])
	if r.ReadUint() != spec.Seed || r.Failed() {
		return nil
	}
	f := specTemplate{before: encoded[:seed], after: r.Rest(), spec: spec}
	f.spec.Env = spec.Env.Clone()
	if len(s.templates) < maxTemplates {
		s.templates = append(s.templates, f)
		return nil
	}
	s.templates[s.next%maxTemplates] = f
	s.next++
	return nil
}
