// Package why audits an option: which eigenpurpose made it, which transitions made that eigenpurpose, and which earlier
// options the agent was executing when it made them.
//
//	audit, err := why.Option(ctx, run, 0) // a *replay.Run, and the number of one of its options
//	if err != nil {
//		return err
//	}
//	fmt.Println(audit.Purpose.Sigma, audit.Evidence[0].Share, audit.Verified())
//
// The [Report] has lists, each with the largest share or influence first:
//
//   - [Evidence]: the distinct rows δ of D. With p = δᵀe, the share of a row is its part of Σp², and its support its
//     part of Σmax(p,0)², which counts only what this sign of the purpose rewards. If e is right-singular, Σp² is σ²,
//     and the share of a row that occurs once is u_ij². For a method that factors a matrix over states, the evidence is
//     the transitions behind the entries of that matrix. If an external method made the direction, the shares only tell
//     how much of each row lies along it; D is not factored again.
//   - [Source]: the same shares, added up by the option or action that was being executed; and the direction nearest to
//     the purpose if D is factored without those steps.
//   - [Ancestor]: the earlier options whose steps are behind the purpose, over all generations.
//   - [Proof]: each record and link from the data to the head, and whether it was verified.
//
// [ExplainInStages] returns the report part by part. [FindEffects] looks forward instead: the
// states that the option was first to reach, the later options that have it as an ancestor, and the later purposes if D
// is factored without its steps.
//
// Everything is recomputed from records that are verified as they are read. A record that can be read but does not
// agree with the others is marked in [Report.Chain]; one that cannot be read is an error that wraps [replay.ErrDamaged]
// or [replay.ErrPruned]. Shares add up to 1, over rows and over sources; they are 0 if no transition is rewarded.
package why
