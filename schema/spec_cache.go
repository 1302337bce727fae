package schema

import (
	"bytes"
	"crypto/sha256"
)

// maxTemplates is how many forms of specs are kept in mind.
const maxTemplates = 32

// SpecCache decodes specs that come one after the other, most of which are of a form
// that one before them had: they differ from it in the seed alone, as the runs
// of a study do. It is for one goroutine. The zero value knows no form.
type SpecCache struct {
	templates []specTemplate
	next      int // the form that gives way when there are too many
}

// specTemplate is a canonical spec but for its seed.
type specTemplate struct {
	before, after []byte
	spec          Spec
}

// Read reads a spec of a form that is known, and gives its bytes too.
func (s *SpecCache) Read(r *CBORReader) (spec Spec, encoded []byte) {
	whole := r.rest
	for i := range s.templates {
		f := &s.templates[i]
		rest, ok := bytes.CutPrefix(whole, f.before)
		if !ok || r.failed {
			continue
		}
		here := CBORReader{rest: rest}
		seed := here.ReadUint()
		if rest, ok = bytes.CutPrefix(here.rest, f.after); !ok || here.failed {
			continue
		}
		r.rest = rest
		spec = f.spec
		spec.Seed, spec.Env = seed, f.spec.Env.Clone()
		return spec, whole[:len(whole)-len(rest)]
	}
	r.failed = true
	return Spec{}, nil
}

// Add makes the form of a spec known, unless it has data: keys stand in the order
// of their encodings, env, then data if there are any, then seed, then the others.
func (s *SpecCache) Add(spec Spec) error {
	encoded, err := Marshal(spec)
	if err != nil {
		return err
	}
	env, err := Marshal(spec.Env)
	if err != nil {
		return err
	}
	seed := 1 + len("\x63env") + len(env) + len("\x64seed") // where it begins
	if seed > len(encoded) || !bytes.HasSuffix(encoded[:seed], []byte("\x64seed")) {
		return nil
	}
	r := CBORReader{rest: encoded[seed:]}
	if r.ReadUint() != spec.Seed || r.failed {
		return nil
	}
	f := specTemplate{before: encoded[:seed], after: r.rest, spec: spec}
	f.spec.Env = spec.Env.Clone()
	if len(s.templates) < maxTemplates {
		s.templates = append(s.templates, f)
		return nil
	}
	s.templates[s.next%maxTemplates] = f
	s.next++
	return nil
}

// RunIDOfEncodedSpec is [RunID] for who has the canonical bytes of the spec of a run of
// its own.
func RunIDOfEncodedSpec(spec []byte) Digest {
	var small [512]byte
	b := append(small[:0], runDomain...)
	b = append(b, majorArray<<5|2)
	b = append(b, spec...)
	return sha256.Sum256(append(b, null))
}
