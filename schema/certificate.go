package schema

// read takes the item at the front of an option record's payload: without
// reflection where it is as nearly all of them are.
func (m *optionMeta) read(u *unpacker) {
	if u.err != nil {
		return
	}
	r := ReadItems(u.buf)
	if quick := r.optionMeta(); !r.failed {
		*m, u.buf = quick, r.rest
		return
	}
	u.meta(m)
}

func (r *Items) optionMeta() (m optionMeta) {
	r.Fields(4)
	r.Field("j")
	m.J = r.Count()
	r.Field("sign")
	m.Sign = r.Count()
	r.Field("sigma")
	m.Sigma = r.Float()
	r.Field("certificate")
	m.Certificate = r.certificate()
	return m
}

// certificate is one without what only learners without a model say.
func (r *Items) certificate() (c Certificate) {
	r.Fields(8)
	r.Field("null")
	c.Null = r.Bool()
	r.Field("reach")
	c.Reach = r.optionalFloat()
	r.Field("peak_q")
	c.PeakQ = r.Float()
	r.Field("acyclic")
	c.Acyclic = r.Bool()
	r.Field("longest")
	c.Longest = r.Int()
	r.Field("tolerance")
	c.Tolerance = r.Float()
	r.Field("initiation")
	c.Initiation = r.Int()
	r.Field("termination")
	c.Termination = r.termination()
	return c
}

func (r *Items) termination() Termination {
	b := r.take(r.head(majorText))
	for _, t := range []Termination{Proved, Observed, Unknown} {
		if string(t) == string(b) {
			return t
		}
	}
	r.failed = true
	return ""
}
