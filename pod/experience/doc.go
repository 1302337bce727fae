// Package experience is podtrack's own: it builds models from observed transitions and rewards, for environments
// without a known model.
package experience
