// Package experience is podtrack's own: it builds models of environments from observed transitions and rewards, for
// environments whose model is unknown.
package experience
