// Package why audits an option: which eigenpurpose made it, what in the data made
// that eigenpurpose, and which earlier options brought the agent there.
//
// # The path to read
//
//  1. [Explain] is the list of what is said.
//  2. read.go finds the option and its records; count_steps.go visits the
//     recorded steps once and counts, iteration by iteration, which row of D was seen while
//     what was executing.
//  3. [Evidence] weighs what a purpose comes from: for method pod
//     the distinct rows δ of D. With p = δᵀe, a row's share is
//     its part of Σp², which is σ² where e is right-singular (there, for a single
//     row of D, it is u_ij²); its support is its part of Σmax(p,0)², which is what
//     this sign of the purpose rewards. For methods that factor a matrix over states,
//     state_shares.go weighs the transitions behind the entries of that matrix. Of a
//     direction that an external method made, D's rows tell how much of each lies along
//     it, and nothing of what made it: D is never factored again.
//  4. [Source] adds the same up by what was executing when the step was taken, and
//     takes the decomposition again without those steps.
//  5. [Ancestor] follows the shares back through the executing options.
//  6. [Proof] verifies every record and link from the data to the head.
//  7. [Effects] is the way on: what an option was executed for, the later options that have it as an
//     ancestor, and the later purposes without its steps.
//  8. [Explain]'s state, where one is given, is why the option acts or stops there.
//
// # Rules
//
//   - Everything is recomputed from records that are verified as they are read.
//     What does not agree is named in the chain; what cannot be used at all is
//     refused as damage.
//   - Shares add up to 1 over rows and over what was executing; they are 0 where the
//     data reward nothing.
package why
