package evaluate

import "github.com/podtrack/podtrack/schema"

// AdviceOtherIteration is the advice of an iteration without options.
const AdviceOtherIteration schema.Advice = "choose an iteration with options; a smaller kappa makes more"
