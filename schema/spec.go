package schema

import (
	"fmt"
	"math"
	"strconv"
)

// Spec is everything that decides the outcome of a run, and nothing else. It does not contain the number of iterations:
// a run is the infinite sequence that its spec determines, and its target can be raised.
type Spec struct {
	Numerics  uint64  `cbor:"numerics" json:"numerics"`
	Env       Env     `cbor:"env" json:"env"`
	Seed      uint64  `cbor:"seed" json:"seed"`
	Steps     int64   `cbor:"steps" json:"steps"`         // n_R, steps an iteration
	Kappa     float64 `cbor:"kappa" json:"kappa"`         // noise threshold on σ
	Gamma     float64 `cbor:"gamma" json:"gamma"`         // discount of the eigenbehaviours
	Sweeps    int64   `cbor:"sweeps" json:"sweeps"`       // most sweeps, or rounds of another learner; 0 for none
	Tolerance float64 `cbor:"tolerance" json:"tolerance"` // up to which values count as 0
	Basis     Basis   `cbor:"basis" json:"basis"`
	Dataset   Dataset `cbor:"dataset" json:"dataset"`
	Select    Select  `cbor:"select" json:"select"`
	Learner   Learner `cbor:"learner" json:"learner"`

	// Data is the [DataDigest] of the records imported as iteration 0, zero if none are.
	Data Digest `cbor:"data,omitzero" json:"data,omitzero"`

	// Method is the matrix whose directions are the purposes, empty for [POD].
	Method Method `cbor:"method,omitempty" json:"method,omitempty"`

	// MaxOptionSteps is the number of steps after which an option call is truncated, if
	// the learner does not prove that options terminate; 0 if it does.
	MaxOptionSteps int64 `cbor:"max_option_steps,omitempty" json:"max_option_steps,omitempty"`

	// StateSet is the states that the matrix of a method on states is over, empty for all.
	StateSet StateSet `cbor:"state_set,omitempty" json:"state_set,omitempty"`

	// PsiGamma is the discount of a successor representation, 0 for Gamma.
	PsiGamma float64 `cbor:"psi_gamma,omitempty" json:"psi_gamma,omitempty"`

	// PsiPasses is how often a successor representation learns from the transitions of each iteration, 0 for once.
	PsiPasses int64 `cbor:"psi_passes,omitempty" json:"psi_passes,omitempty"`

	// PsiPart is the part of the successor representation that is factored, empty for all of it.
	PsiPart PsiPart `cbor:"psi_part,omitempty" json:"psi_part,omitempty"`

	// FeatureScale is the divisor of D's columns, empty for no scaling.
	FeatureScale FeatureScale `cbor:"feature_scale,omitempty" json:"feature_scale,omitempty"`

	// Initiation restricts the states in which options can start. Empty means every state in which some action is
	// worth more than the tolerance.
	Initiation Start `cbor:"initiation,omitempty" json:"initiation,omitempty"`

	// Options is the lifetime of options in the action set, empty for all later iterations.
	Options Lifetime `cbor:"options,omitempty" json:"options,omitempty"`

	// OptionProbability is the probability that a decision is drawn from the available options, if there are any,
	// rather than from the actions; 0 if it is drawn from both alike.
	OptionProbability float64 `cbor:"option_probability,omitempty" json:"option_probability,omitempty"`

	// Ridge is λ of the basis [Posterior], 0 for [DefaultRidge].
	Ridge float64 `cbor:"ridge,omitempty" json:"ridge,omitempty"`

	// Behaviour is the number of steps for which a drawn action is taken, empty for one.
	Behaviour Behaviour `cbor:"behaviour,omitempty" json:"behaviour,omitempty"`

	// Sides selects the signs of a direction that become purposes, empty for both.
	Sides Sides `cbor:"sides,omitempty" json:"sides,omitempty"`

	// Restart says which iterations begin in the environment's first state rather than where the one before ended,
	// empty for none but the first. Where iterations begin with an episode, they do so in any case.
	Restart Restart `cbor:"restart,omitempty" json:"restart,omitempty"`

	// LeaveOut has the numbers of options that are left out of the action set, in ascending order; all other
	// options keep their numbers. Only counterfactual runs have some.
	LeaveOut []uint64 `cbor:"leave_out,omitempty" json:"leave_out,omitempty"`

	// Stages has the declarations of external stages, nil if there are none.
	Stages *Stages `cbor:"stages,omitempty" json:"stages,omitempty"`
}

// Limits of a spec. They keep every count an exact int64 and every loop finite.
const (
	MaxSteps  = 1 << 40
	MaxSweeps = 1 << 30

	maxPsiPasses = 1 << 16 // over the transitions of an iteration
)

// maxGamma is the largest discount. With a larger one the values of states would be nothing but rounding errors.
const maxGamma = 1 - 1e-12

// fields are the fields of specs, in display order, after the environment and its parameters. They are checked in this
// order.
var fields = []specField{
	naturalField("seed", "the seed, from which all randomness of the run follows",
		func(s *Spec) *uint64 { return &s.Seed }),
	integerField("steps", "steps in each iteration, n_R", func(s *Spec) *int64 { return &s.Steps }).
		requires(func(s *Spec) bool { return s.Steps >= 1 && s.Steps <= MaxSteps },
			"use 1 to %d steps an iteration; the paper's is 1000", int64(MaxSteps)),
	numberField("kappa", "keep directions with σ above this", func(s *Spec) *float64 { return &s.Kappa }).
		requires(func(s *Spec) bool { return s.Kappa >= 0 && !math.IsInf(s.Kappa, 0) },
			"use a finite number of at least 0; the paper's is 1"),
	numberField("gamma", "discount of the eigenbehaviours", func(s *Spec) *float64 { return &s.Gamma }).
		requires(func(s *Spec) bool { return s.Gamma >= 0 && s.Gamma < 1 },
			"use a number from 0 to under 1; the paper's is 0.99").
		requires(func(s *Spec) bool { return s.Gamma <= maxGamma }, "use a number up to %v", maxGamma),
	integerField("sweeps", "at most this many sweeps of value iteration, policy iterations of lspi, or passes of "+
		"q-learning", func(s *Spec) *int64 { return &s.Sweeps }).
		requires(func(s *Spec) bool { return !s.Learner.UsesSweeps() || s.Sweeps >= 1 && s.Sweeps <= MaxSweeps },
			"use 1 to %d sweeps; the paper's is 100", int64(MaxSweeps)),
	numberField("tolerance", "values up to this count as 0: an option ends where no action is worth more",
		func(s *Spec) *float64 { return &s.Tolerance }).
		requires(func(s *Spec) bool { return s.Tolerance >= 0 && !math.IsInf(s.Tolerance, 0) },
			"use a finite number of at least 0; the default is 1e-09"),
	wordField("basis", "the eigenpurposes: right-singular (rows of Vᵀ), rows-of-v, random (as many random "+
		"directions), or posterior (drawn from N(0, (DᵀD + λI)⁻¹), with select all)",
		func(s *Spec) *Basis { return &s.Basis }, RightSingular, RowsOfV, Random, Posterior).checked((*Spec).checkBasis),
	wordField("dataset", "the rows of D: those of the iteration alone (iteration), or of all so far (cumulative)",
		func(s *Spec) *Dataset { return &s.Dataset }, PerIteration, Cumulative),
	stageField(SelectStage, "which directions become options: "+selectionForms(), selectType).
		checked(func(s *Spec) error { _, err := s.Select.ParseRule(); return err }),
	stageField(LearnerStage, "how eigenbehaviours are learned: "+
		describeEntries(Learners, func(e learnerEntry) string { return e.Usage }),
		stageOf(Learners.BuiltinNames)).
		checked(func(s *Spec) error { _, err := Learners.Find(string(s.Learner)); return err }),
	naturalField("numerics", "", func(s *Spec) *uint64 { return &s.Numerics }),
	{name: "data", holds: FieldType{Kind: DigestValue}, isOptional: true,
		text: func(s Spec) string {
			if s.Data.IsZero() {
				return ""
			}
			return s.Data.String()
		},
		set: func(*Spec, string) error {
			return Hint(fmt.Errorf("%w: data cannot be set", ErrSpec), AdviceImportData)
		}},
	optional(string(POD), stageField(MethodStage,
		"how purposes are discovered: "+describeEntries(Methods, func(e methodEntry) string { return e.Usage }),
		stageOf(Methods.BuiltinNames)).checked((*Spec).checkMethod)),
	unnamedStageField(CollectStage, "how transitions are collected: "+DefaultPolicy+" (uniformly random over actions "+
		"and options)", DefaultPolicy),
	unnamedStageField(MeasureStage, "what measures iterations beside podtrack: "+noMeasures, noMeasures),
	optional("0", integerField("max_option_steps", "truncate a call of an option after this many steps, 0 for 1000, "+
		"or auto for a number that suits steps and the episodes; only for learners without a model",
		func(s *Spec) *int64 { return &s.MaxOptionSteps }).
		requires(func(s *Spec) bool {
			return s.UsesExperience() || s.Stages.Of(LearnerStage) != nil || s.MaxOptionSteps == 0
		}, "use 0: with learner %s every option is proved to end", ownLearner).
		requires(func(s *Spec) bool { return s.MaxOptionSteps >= 0 && s.MaxOptionSteps <= MaxSteps },
			"use 1 to %d steps; the default is %d", int64(MaxSteps), DefaultMaxOptionSteps)),
	optionalWord("state_set", "states that the matrix of a method on states is over: all, or visited",
		func(s *Spec) *StateSet { return &s.StateSet }, "all", VisitedStates).
		requires(func(s *Spec) bool { return s.StateSet == AllStates || s.Method.entry().onStates },
			"use all with method %s, whose matrix is not over states", ownMethod),
	optional("0", numberField("psi_gamma", "discount of the successor representation, 0 for that of the "+
		"eigenbehaviours", func(s *Spec) *float64 { return &s.PsiGamma }).
		requires(func(s *Spec) bool { return s.PsiGamma == 0 || s.Method.entry().hasDiscount },
			"use 0 with method %s, which has no discount; methods %s and %s have one", ownMethod, Successor,
			SuccessorFeatures).
		requires(func(s *Spec) bool { return s.PsiGamma >= 0 && s.PsiGamma <= maxGamma },
			"use a number below 1; 0 stands for the discount of the options")),
	optional("1", specField{name: "psi_passes", holds: FieldType{Kind: Integer},
		usage: "learn the successor representation from each iteration's transitions in so many passes",
		form:  fmt.Sprintf("whole number from 1 to %d", maxPsiPasses), check: (*Spec).checkPsiPasses,
		text: func(s Spec) string { return strconv.FormatInt(s.SuccessorPasses(), 10) },
		set:  func(s *Spec, text string) (err error) { s.PsiPasses, err = parsePasses(text); return err }}),
	optionalWord("psi_part", "factor the successor representation as it is (whole) or its symmetric part (symmetric)",
		func(s *Spec) *PsiPart { return &s.PsiPart }, "whole", SymmetricPart).
		requires(func(s *Spec) bool { return s.PsiPart == WholePsi || s.Method == Successor },
			"use whole with method %s; method %s has a symmetric part", ownMethod, Successor),
	optionalWord("feature_scale", "divide the columns of D by their root mean squares (rms), and scale purposes back; or "+
		"none", func(s *Spec) *FeatureScale { return &s.FeatureScale }, "none", RMS).
		requires(func(s *Spec) bool { return s.FeatureScale != RMS || s.Method == "" },
			"use none with method %s, whose matrix is not D, or method %s", ownMethod, POD),
	optionalWord("initiation", "where options can start: any (state in which an action is worth something); of lspi and "+
		"q-learning observed (those from which the observed transitions show that they end); of covering ends (the other "+
		"end of the pair)", func(s *Spec) *Start { return &s.Initiation }, "any", StartObserved, StartAtEnds).
		requires(func(s *Spec) bool { return s.Initiation != StartAtEnds || s.Method.FindsPair() },
			"use any with method %s; method %s discovers a pair of states, in whose ends options can start", ownMethod,
			Covering).
		requires(func(s *Spec) bool { return s.Initiation != StartObserved || s.IsLinear() },
			"use any with learner %s, whose options are about states that it knows; or learner %s or %s", ownLearner, LSPI,
			QLearning),
	parsedField("lifetime", "how long options stay in the action set: keep (for ever), replace (until the next ones) or "+
		"last=N (those of the N latest iterations)", func(s *Spec) *Lifetime { return &s.Options }, parseLifetime,
		[]string{keepForever, string(ReplaceOptions)}, []string{lastPrefix + "N"}).
		requires(func(s *Spec) bool { _, err := parseLifetime(string(s.Options)); return err == nil },
			"use keep, replace or last=N, 1 ≤ N ≤ %d", maxLifetime),
	optional("0", numberField("option_probability", "probability that a decision draws from the available options, "+
		"if there are any, rather than from the actions; 0 draws from both alike",
		func(s *Spec) *float64 { return &s.OptionProbability }).
		requires(func(s *Spec) bool { return s.OptionProbability >= 0 && s.OptionProbability <= 1 },
			"use a probability up to 1, or 0 to draw from actions and options alike; the ROD cycle's is 0.05")),
	optional(formatFloat(DefaultRidge), specField{name: "ridge", usage: "λ of basis posterior",
		holds: FieldType{Kind: Number}, set: (*Spec).setRidge,
		text: func(s Spec) string { return formatFloat(s.PosteriorRidge()) }}.
		requires(func(s *Spec) bool { return s.Basis == Posterior || s.Ridge == 0 },
			"leave it out, or use basis %s", Posterior).
		requires(func(s *Spec) bool { return s.PosteriorRidge() >= 1e-12 && s.PosteriorRidge() <= 1e12 },
			"use a number from 1e-12 to 1e12; the default is %v", DefaultRidge)),
	parsedField("behaviour", "for how many steps the agent takes an action that it draws: uniform (one), zeta=Z (n with "+
		"probability ∝ n^−Z) or geometric=MEAN", func(s *Spec) *Behaviour { return &s.Behaviour }, canonicalBehaviour,
		[]string{uniformly}, []string{"zeta=Z", "geometric=MEAN"}).
		requires(func(s *Spec) bool { _, err := canonicalBehaviour(string(s.Behaviour)); return err == nil },
			"use uniform, zeta=Z with a whole Z from 2 to %d, or geometric=MEAN with a mean above 1 and up to %d steps",
			maxExponent, int64(MaxSteps)),
	optionalWord("sides", "signs of a direction that are followed: two; published, whose entries add up to less than 0; "+
		"or one, which leads away from where the agent often was", func(s *Spec) *Sides { return &s.Sides }, "two", OneSided,
		PublishedSides),
	optionalWord("restart", "begin in the environment's first state: never again, or in each iteration (iteration)",
		func(s *Spec) *Restart { return &s.Restart }, "never", EachIteration),
	optional(noOptions, specField{name: "leave_out", holds: leaveOutType,
		usage: "leave options out of the action set, by their numbers: 3, or 3+17",
		form:  "list of option numbers such as 3+17, or " + noOptions, check: (*Spec).checkLeaveOut,
		text: func(s Spec) string { return formatOptions(s.LeaveOut) },
		set:  func(s *Spec, text string) (err error) { s.LeaveOut, err = parseOptions(text); return err }}),
}
