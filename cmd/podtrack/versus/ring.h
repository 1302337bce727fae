/* The ring of 2^12 states: a state is a two's-complement integer, its features are
 * the bits that are not hidden, action 0 goes left and 1 right. And its value
 * iteration, v'(s) = max(0, max_a [w(s') − w(s) + γ v(s')]). */
#pragma once
#include <math.h>
#include <stdint.h>

enum { BITS = 12, STATES = 1 << BITS, ACTIONS = 2 };
static const double GAMMA = 0.99;

static inline int step(int s, int a) { return (s + 2 * a - 1) & (STATES - 1); }

/* Direction and the number of low bits that a step flips fix its row of D. */
enum { CLASSES = ACTIONS * (BITS + 1) };

static inline int row_class(int s, int a) {
    unsigned low = a ? ~s : s;
    return a * (BITS + 1) + __builtin_ctz(low | 1u << BITS);
}

static void difference(int class, int hide, double *row) {
    int t = class % (BITS + 1), sign = 2 * (class / (BITS + 1)) - 1;
    for (int b = hide; b < BITS; b++) row[b - hide] = b < t ? 0 - sign : b == t ? sign : 0;
}

/* One number a state: the ring's last state stands before its first too, and its
 * first behind its last. */
typedef double Table[STATES + 2];

static void close_ring(double *x) {
    x[0] = x[STATES];
    x[STATES + 1] = x[1];
}

static inline double larger(double x, double y) { return x > y ? x : y; }

/* w(s) = eᵀφ(s), one addition a state, since each bit doubles the table. */
static double potential(const double *e, int hide, double *w) {
    double largest = 0;
    w[1] = 0;
    for (int b = 0; b < BITS; b++) {
        double term = b < hide ? 0 : e[b - hide];
        for (int s = 0; s < 1 << b; s++) w[1 + s + (1 << b)] = w[1 + s] + term;
    }
    for (int s = 1; s <= STATES; s++) largest = larger(fabs(w[s]), largest);
    close_ring(w);
    return largest;
}

static void sweep_ring(const double *restrict w, const double *restrict v, double *restrict next) {
    for (int s = 1; s <= STATES; s++) {
        double left = w[s - 1] - w[s] + GAMMA * v[s - 1];
        double right = w[s + 1] - w[s] + GAMMA * v[s + 1];
        next[s] = larger(larger(left, right), 0);
    }
    close_ring(next);
}

/* The same for any graph of two actions: successors are looked up. */
typedef int32_t Successors[STATES];
static Successors lefts, rights;

static void fill_successors(void) {
    for (int s = 0; s < STATES; s++) lefts[s] = 1 + step(s, 0), rights[s] = 1 + step(s, 1);
}

static void rewards(const double *w, const Successors to, double *reward) {
    for (int s = 0; s < STATES; s++) reward[s] = w[to[s]] - w[1 + s];
}

static void sweep_table(const double *restrict left, const double *restrict right, const double *restrict v, double *restrict next) {
    for (int s = 0; s < STATES; s++) {
        double q = left[s] + GAMMA * v[lefts[s]], p = right[s] + GAMMA * v[rights[s]];
        next[1 + s] = larger(larger(q, p), 0);
    }
    close_ring(next);
}

/* The best action, the lowest of equals, ⊥ where none exceeds the tolerance. */
static void improve(const double *w, const double *v, double tolerance, int8_t *policy) {
    for (int s = 1; s <= STATES; s++) {
        double left = w[s - 1] - w[s] + GAMMA * v[s - 1];
        double right = w[s + 1] - w[s] + GAMMA * v[s + 1];
        double best = larger(left, right);
        policy[s - 1] = best > tolerance ? left < right : -1;
    }
}
