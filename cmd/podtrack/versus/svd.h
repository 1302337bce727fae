/* The singular value decomposition as podtrack takes it (pod/svd.go): one-sided
 * Jacobi (Hestenes 1958) over pairs of columns in cyclic order, which makes columns
 * of rounding noise exactly 0 before each sweep. */
#pragma once
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 12, MAX_ROWS = 26, MAX_JACOBI_SWEEPS = 64 };
typedef double Matrix[MAX_COLUMNS][MAX_ROWS]; /* by columns */

static double dot(const double *x, const double *y, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static void deflate(Matrix a, int rows, int d) {
    double norms[MAX_COLUMNS], largest = 0;
    for (int j = 0; j < d; j++) largest = fmax(largest, norms[j] = sqrt(dot(a[j], a[j], rows)));
    for (int j = 0; j < d; j++)
        if (norms[j] <= 4 * d * 0x1p-52 * largest) memset(a[j], 0, sizeof a[j]);
}

static void turn(double *x, double *y, int n, double c, double s) {
    for (int i = 0; i < n; i++) {
        double xi = x[i], yi = y[i];
        x[i] = c * xi - s * yi;
        y[i] = s * xi + c * yi;
    }
}

static int turn_pair(Matrix a, Matrix v, int rows, int d, int p, int q) {
    double alpha = dot(a[p], a[p], rows), beta = dot(a[q], a[q], rows), gamma = dot(a[p], a[q], rows);
    double slack = 4 * d + sqrt(rows);
    if (fabs(gamma) <= slack * 0x1p-52 * (sqrt(alpha) * sqrt(beta))) return 0;
    double zeta = (beta - alpha) / (2 * gamma);
    double t = 1 / (fabs(zeta) + sqrt(1 + zeta * zeta));
    if (zeta < 0) t = -t;
    double c = 1 / sqrt(1 + t * t);
    turn(a[p], a[q], rows, c, c * t);
    turn(v[p], v[q], d, c, c * t);
    return 1;
}

/* The first entry within 2⁻²⁰ of the largest magnitude becomes positive. */
static void fix_sign(double *x, int n) {
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
    int first = 0;
    while (fabs(x[first]) < largest * (1 - 0x1p-20)) first++;
    if (x[first] < 0)
        for (int i = 0; i < n; i++) x[i] = 0 - x[i];
}

/* Overwrites a, of d columns. σ descends; v[j] is column j of V. */
static void svd(Matrix a, int rows, int d, double *sigma, Matrix v) {
    Matrix basis;
    memset(basis, 0, sizeof basis);
    for (int j = 0; j < d; j++) basis[j][j] = 1;
    for (int sweep = 0, turned = 1; turned; sweep++) {
        if (sweep == MAX_JACOBI_SWEEPS) {
            fputs("pod: the singular value decomposition did not converge\n", stderr);
            exit(2);
        }
        turned = 0;
        deflate(a, rows, d);
        for (int p = 0; p < d; p++)
            for (int q = p + 1; q < d; q++) turned |= turn_pair(a, basis, rows, d, p, q);
    }
    for (int j = 0; j < d; j++) {
        double norm = sqrt(dot(a[j], a[j], rows));
        int at = j;
        for (; at > 0 && sigma[at - 1] < norm; at--) {
            sigma[at] = sigma[at - 1];
            memcpy(v[at], v[at - 1], sizeof v[at]);
        }
        sigma[at] = norm;
        memcpy(v[at], basis[j], sizeof v[at]);
        fix_sign(v[at], d);
    }
}
