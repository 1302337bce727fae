// Package task is podtrack's own: it measures what options are worth. An [ActionSet] has a diffusion time
// ([ComputeDiffusion]) and a cover time ([SimulateCover]), and an agent learns a [Task] with it ([Train]).
package task
