// Package stats is podtrack's own: it describes samples and compares two of them, as pure functions. Undefined
// statistics (the mean of no values, the deviation of one) are nil.
//
// # Definitions
//
//   - mean, sd, se: the mean; the sample standard deviation, with n − 1; the
//     standard error of the mean, sd / √n. sd and se need two values.
//   - min, q1, median, q3, max: quantiles at 0, ¼, ½, ¾ and 1 with linear interpolation between the order statistics (n
//     − 1)p around: type 7 of Hyndman and Fan, "Sample quantiles in statistical packages", The American Statistician
//     50(4), 1996, which NumPy, pandas and R take too.
//   - iqm: the interquartile mean of Agarwal et al., "Deep reinforcement learning at the edge of the statistical
//     precipice", NeurIPS 2021: the mean without the ⌊n/4⌋ lowest and the ⌊n/4⌋ highest values. Its interval, see
//     [IQM], is the percentile bootstrap of Efron, "Bootstrap methods: another look at the jackknife", The Annals of
//     Statistics 7(1), 1979, which that paper takes. It stratifies by tasks; here each sample is of one task.
//   - profile: the performance profile of Agarwal et al. 2021, the share of values above τ, see [Profile].
//   - difference: the mean of b minus the mean of a. Of pairs this is the mean of their differences.
//   - improvement: the probability of improvement of Agarwal et al. 2021, P(b > a) + ½P(b = a) over all pairs (value of
//     a, value of b): the statistic of Mann and Whitney divided by the number of pairs. Under ½, a is the larger more
//     often.
//   - interval of a mean: Student's t, mean ± t·se with n − 1 degrees of freedom; of a difference of independent means:
//     Welch's t with the degrees of freedom of Welch, "The generalization of 'Student's' problem when several different
//     population variances are involved", Biometrika 34, 1947; of a mean difference of pairs: Student's t of the
//     differences. They need two values a group, or two pairs.
//   - interval of the improvement: the score interval of Newcombe, "Confidence intervals for an effect size measure
//     based on the Mann–Whitney statistic. Part 2: asymptotic methods and evaluation", Statistics in Medicine 25(4),
//     2006 (method 5), with the variance of Hanley and McNeil, "The meaning and use of the area under a receiver
//     operating characteristic (ROC) curve", Radiology 143(1), 1982. Of pairs it counts both runs of a pair as
//     independent, so that it is too wide where they vary together.
//   - p-value: that of the t-test that belongs to the difference's interval, two-sided. [Holm] adjusts several for
//     their number, and [Bonferroni] gives the level of intervals that hold together.
//   - rank p-value: of two samples that of the rank-sum test of Wilcoxon, "Individual comparisons by ranking methods",
//     Biometrics Bulletin 1(6), 1945, and Mann and Whitney, "On a test of whether one of two random variables is
//     stochastically larger than the other", The Annals of Mathematical Statistics 18(1), 1947; of pairs that of
//     Wilcoxon's signed-rank test. When they are exact, and what corrects the normal approximation, is as in
//     scipy.stats.mannwhitneyu and wilcoxon; but of pairs with ties the approximation is taken.
//   - mean over pairs: of runs, whose pairs share runs: the jackknife over runs, see [MeanOverPairs].
//   - p: of a permutation test with drawn permutations, see [Permutation]; adjusted for the number of tests by [Holm].
//   - [Wilson]: the 95 % score interval of a proportion, without correction for continuity: Wilson, "Probable
//     inference, the law of succession, and statistical inference", Journal of the American Statistical Association
//     22(158), 1927.
//
// # Rules
//
//   - The order of the values makes no difference, not even in the last bit: samples are sorted first.
//   - No interval of samples is drawn at random, but that of the interquartile mean, whose draws are the same
//     everywhere. The interval of b and a mirrors that of a and b.
//   - How often each interval contains the truth is measured by TestCoverage, whose
//     table is in the help topic diff. Percentile bootstrap intervals would contain it
//     too rarely: for means of 10 normal values 89 % of the time in place of 95 %.
package stats
