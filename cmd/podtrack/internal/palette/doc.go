// Package palette has what all figures share, so that they show the same data alike: the colours of themes, the axis of
// states, and the form of numbers.
//
// # Rules
//
//   - Series are told apart by number: actions in their order, groups, the two sides of a comparison,
//     the readings of Table 1. The first is blue, the second vermilion, in both themes.
//   - A number with a sign is blue above 0 and vermilion below it, the stronger the larger. Above 0 is
//     what is better, or above chance.
//   - A number without a sign, such as a value, goes from the ground at 0 to the same blue at the
//     largest one of the picture.
//   - What comes in an order, such as iterations, goes along the ramp, from dark to light on paper.
//   - What has no colour, such as the states in which an option ends, is neutral.
//   - On a ring, states are shown by their coordinate, from −2ᵇ⁻¹ to 2ᵇ⁻¹ − 1; see [StateAxis].
package palette
