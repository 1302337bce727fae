// Package experience is podtrack's own: it has the models that observed transitions and rewards make, where an
// environment's own are not known.
package experience
