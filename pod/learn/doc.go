// Package learn is podtrack's own: it learns for each eigenpurpose the values of states or weights of features,
// and concludes the option, with a certificate. [NewOptionLearner] returns the learner of a spec: a
// [ModelLearner] where the model is known, and otherwise one from [Experience].
package learn
