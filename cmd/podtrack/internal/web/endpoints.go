package web

// endpoints returns all endpoints of the API except the event stream.
func (s *server) endpoints() []endpoint {
	const run, option = "/api/runs/{run}", "/api/runs/{run}/iterations/{k}/options/{j}"
	return []endpoint{
		{"/api/version", nil, light, nil, s.version},
		{"/api/glossary", nil, light, nil, s.glossary},
		{"/api/runs", []string{"q", "sort", "offset", "limit", "measure", "own"}, light, nil, s.runs},
		{"/api/fields", []string{"q"}, light, nil, s.fields},
		{"/api/plans", []string{"q"}, light, nil, s.plans},
		{run, nil, light, s.aboutDetail, s.run},
		{run + "/world", nil, light, s.aboutRun, s.world},
		{run + "/options", nil, heavy, s.aboutRun, s.options},
		{run + "/exploration", nil, heavy, s.aboutRun, s.exploration},
		{run + "/returns", nil, heavy, s.aboutRun, s.returns},
		{run + "/lanes", []string{"find", "offset", "limit"}, heavy, s.aboutRun, s.lanes},
		{run + "/forks", nil, light, nil, s.forks},
		{run + "/walk", []string{"k", "from", "to", "width", "primitive"}, light, s.aboutRun, s.walk},
		{run + "/steps", []string{"k", "from", "to", "width"}, light, s.aboutRun, s.steps},
		{run + "/layout", nil, heavy, s.aboutRun, s.layout},
		{run + "/evaluations", nil, heavy, s.aboutEvaluations, s.evaluations},
		{run + "/evaluations/{e}", nil, heavy, s.aboutEvaluations, s.oneEvaluation},
		{run + "/iterations/{k}/diffusion", nil, heavy, s.aboutRun, s.diffusion},
		{run + "/options/{number}", nil, light, s.aboutRun, s.option},
		{option, nil, light, s.aboutRun, s.option},
		{option + "/acts", []string{"state"}, heavy, s.aboutRun, s.acts},
		{option + "/table", nil, light, s.aboutRun, s.table},
		{option + "/q", nil, heavy, s.aboutRun, s.q},
		{option + "/potential", nil, light, s.aboutRun, s.potential},
		{option + "/why", []string{"state"}, heavy, s.aboutRun, s.why},
		{"/api/diff", []string{"a", "b", "specs"}, heavy, s.aboutBoth, s.diff},
		{"/api/group", []string{"q", "by"}, heavy, s.aboutSelected, s.group},
		{"/api/compare",
			[]string{"a", "b", "group", "q", "by", "baseline", "paired", "measure"}, heavy, s.aboutGroups, s.compare},
		{"/api/measures", []string{"a", "b", "group", "q", "by", "baseline", "measure"}, heavy, s.aboutGroups, s.measures},
		{"/api/table1", nil, heavy, s.aboutTable1, s.table1},
		{"/api/figure/{figure}", append([]string{"of", "readouts"}, figureFlags()...), drawing, s.aboutFigure, s.figure},
	}
}

// stagedEndpoints returns the endpoints whose answers come in stages. All of them take seconds of processor time.
func (s *server) stagedEndpoints() []stagedEndpoint {
	const option = "/api/runs/{run}/iterations/{k}/options/{j}"
	return []stagedEndpoint{
		{option + "/why/stages", []string{"state"}, s.whyInStages},
		{option + "/effects", nil, s.effects},
	}
}
