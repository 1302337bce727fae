package api

import "github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"

// endpoints returns all endpoints of the API except the event stream.
func (s *server) endpoints() []endpoint {
	const run, option = "/api/runs/{run}", "/api/runs/{run}/iterations/{k}/options/{j}"
	return []endpoint{
		{"/api/version", nil, light, nil, s.version},
		{"/api/glossary", nil, light, nil, s.glossary},
		{"/api/runs", []string{"q", "sort", "offset", "limit", "measure", "own"}, light, nil, s.runs},
		{"/api/fields", []string{"q"}, light, nil, s.fields},
		{"/api/means", []string{"q", "by", "measure"}, heavy, s.aboutMeans, s.means},
		{"/api/plans", []string{"q"}, light, nil, s.plans},
		{"/api/studies", nil, light, nil, s.studies},
		{"/api/study", []string{"name"}, heavy, s.aboutStudy, s.study},
		{run, nil, light, s.aboutDetail, s.run},
		{run + "/world", nil, light, s.aboutRun, s.world},
		{run + "/options", nil, heavy, s.aboutRun, s.options},
		{run + "/exploration", nil, heavy, s.aboutRun, s.exploration},
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

// stagedEndpoints returns the endpoints that send their answers in stages. All of them are heavy.
func (s *server) stagedEndpoints() []stagedEndpoint {
	const option = "/api/runs/{run}/iterations/{k}/options/{j}"
	return []stagedEndpoint{
		{option + "/why/stages", []string{"state"}, s.whyInStages},
		{option + "/effects", nil, s.effects},
	}
}

// endpoint is a path of the API and the function that answers it.
type endpoint struct {
	path   string
	params []string // allowed query parameters
	cost   cost
	about  about // what the answer depends on; nil if that is unknown
	answer func(*request) (reply.Answer, error)
}

// cost is how much work an answer is. Requests of each cost have a queue of their own.
type cost int

const (
	light   cost = iota // takes milliseconds
	heavy               // can take seconds of processor time
	drawing             // a figure: as much work as heavy, but it must not wait behind heavy requests
)

// about is a function that returns what an answer depends on, without computing the
// answer. For most endpoints that is the runs, as the list shows them.
type about func(*request) (any, error)

// stagedEndpoint is a path of the API and the function that sends its answer line by line, as it is computed.
type stagedEndpoint struct {
	path   string
	params []string // allowed query parameters
	answer func(r *request, send func(progress) error) error
}
