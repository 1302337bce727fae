// Package stats describes samples and compares two of them, as pure functions.
// What is not defined (a mean of nothing, a deviation of one value) is nil.
//
// # Definitions
//
//   - mean, sd, se: the mean; the sample standard deviation, with n − 1; the
//     standard error of the mean, sd / √n. sd and se need two values.
//   - min, q1, median, q3, max: quantiles at 0, ¼, ½, ¾ and 1 with linear
//     interpolation between the order statistics (n − 1)p around: type 7 of
//     Hyndman and Fan, "Sample quantiles in statistical packages", The American
//     Statistician 50(4), 1996, which NumPy, pandas and R take too.
//   - iqm: the interquartile mean of Agarwal et al., "Deep reinforcement learning
//     at the edge of the statistical precipice", NeurIPS 2021: the mean of what
//     is left without the ⌊n/4⌋ lowest and the ⌊n/4⌋ highest values.
//   - difference: the mean of b minus the mean of a. Of pairs this is the mean of
//     their differences.
//   - improvement: the probability of improvement of Agarwal et al. 2021,
//     P(b > a) + ½P(b = a) over all pairs (value of a, value of b): the
//     statistic of Mann and Whitney divided by the number of pairs. Under ½, a
//     is the larger more often.
//   - interval: the 95 % percentile bootstrap of Efron, "Bootstrap methods:
//     another look at the jackknife", The Annals of Statistics 7(1), 1979, and
//     "Nonparametric standard errors and confidence intervals", Canadian Journal
//     of Statistics 9(2), 1981: the quantiles at 2.5 % and 97.5 % of the statistic
//     over 2000 resamples, each group for itself, or pairs. It needs two values a
//     group, or two pairs; of fewer than about ten it is too narrow.
//   - [Wilson]: the 95 % score interval of a proportion, without correction for
//     continuity: Wilson, "Probable inference, the law of succession, and
//     statistical inference", Journal of the American Statistical Association
//     22(158), 1927.
//
// # Rules
//
//   - The order of the values makes no difference, not even in the last bit:
//     samples are sorted first.
//   - Resampling draws from a fixed stream: the same values give the same
//     interval. The interval of b and a mirrors that of a and b, unless both are
//     the same values.
package stats
