// Package task is podtrack's own: it measures how useful options are. An [ActionSet] has a diffusion time
// ([ComputeDiffusion]) and a cover time ([SimulateCover]), and an agent learns a [Task] with it ([Train]).
package task
