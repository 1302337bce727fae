package web

// endpoints returns all endpoints of the API except the event stream.
func (s *server) endpoints() []endpoint {
	const run, option = "/api/runs/{run}", "/api/runs/{run}/iterations/{k}/options/{j}"
	return []endpoint{
		{"/api/version", nil, false, nil, s.version},
		{"/api/glossary", nil, false, nil, s.glossary},
		{"/api/runs", []string{"q", "sort", "offset", "limit", "measure", "own"}, false, nil, s.runs},
		{"/api/fields", []string{"q"}, false, nil, s.fields},
		{"/api/plans", []string{"q"}, false, nil, s.plans},
		{run, nil, false, s.aboutDetail, s.run},
		{run + "/world", nil, false, s.aboutRun, s.world},
		{run + "/options", nil, true, s.aboutRun, s.options},
		{run + "/exploration", nil, true, s.aboutRun, s.exploration},
		{run + "/returns", nil, true, s.aboutRun, s.returns},
		{run + "/lineages", nil, true, s.aboutRun, s.lineages},
		{run + "/lanes", []string{"find", "offset", "limit"}, true, s.aboutRun, s.lanes},
		{run + "/forks", nil, false, nil, s.forks},
		{run + "/walk", []string{"k", "from", "to", "width", "primitive"}, false, s.aboutRun, s.walk},
		{run + "/steps", []string{"k", "from", "to", "width"}, false, s.aboutRun, s.steps},
		{run + "/layout", nil, true, s.aboutRun, s.layout},
		{run + "/visits", []string{"frames"}, true, s.aboutRun, s.visits},
		{run + "/evaluations", nil, true, s.aboutEvaluations, s.evaluations},
		{run + "/evaluations/{e}", nil, true, s.aboutEvaluations, s.oneEvaluation},
		{run + "/iterations/{k}/diffusion", nil, true, s.aboutRun, s.diffusion},
		{run + "/options/{number}", nil, false, s.aboutRun, s.option},
		{option, nil, false, s.aboutRun, s.option},
		{option + "/acts", []string{"state"}, true, s.aboutRun, s.acts},
		{option + "/value", nil, false, s.aboutRun, s.value},
		{option + "/policy", nil, false, s.aboutRun, s.policy},
		{option + "/table", nil, false, s.aboutRun, s.table},
		{option + "/q", nil, true, s.aboutRun, s.q},
		{option + "/potential", nil, false, s.aboutRun, s.potential},
		{option + "/why", []string{"state"}, true, s.aboutRun, s.why},
		{"/api/diff", []string{"a", "b", "specs"}, true, s.aboutBoth, s.diff},
		{"/api/group", []string{"q", "by"}, true, s.aboutSelected, s.group},
		{"/api/compare",
			[]string{"a", "b", "group", "q", "by", "baseline", "paired", "measure"}, true, s.aboutGroups, s.compare},
		{"/api/bands", []string{"a", "b", "group", "q", "by", "baseline", "curve"}, true, s.aboutGroups, s.bands},
		{"/api/measures", []string{"a", "b", "group", "q", "by", "baseline", "measure"}, true, s.aboutGroups, s.measures},
		{"/api/table1", nil, true, s.aboutTable1, s.table1},
		{"/api/figure/{figure}", append([]string{"of"}, figureFlags...), true, nil, s.figure},
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
