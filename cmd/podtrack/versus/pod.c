/* Table 1 of Machado & Bowling (2016) in C: the ring of 2^12 states, both
 * readings, 0 and 3 bits hidden. Value iteration is full synchronous sweeps.
 * Nothing is recorded. README.md says what this is held against.
 *
 * Results have podtrack's bits where products are rounded before they are added
 * (gcc -ffp-contract=off). */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ring.h"
#include "stream.h"
#include "svd.h"

enum { STEPS = 1000, SWEEPS = 100, PRIMITIVE = -1 };
static const double KAPPA = 1, TOLERANCE = 1e-9;

static int iterations = 6, by_table = 0;

typedef int8_t Policy[STATES]; /* an action, or −1 for ⊥ */

typedef struct {
    int published, hide, seed; /* the setting */
    int state;
    int64_t classes[CLASSES]; /* D by the class of its rows */
    Policy *options;
    int n_options, room;
    char *lines; /* what the run prints */
    size_t length;
} Run;

typedef struct {
    int purposes, calls, distance, visited;
    int64_t steps, entries[ACTIONS]; /* executed in calls; policy entries by action */
    double values;                   /* the sum of v over the iteration's options */
} Measures;

static void *allocate(size_t size) {
    void *p = calloc(1, size);
    if (p == NULL) {
        perror("pod");
        exit(2);
    }
    return p;
}

/* Collect */

static int available(const Run *r) {
    int n = 0;
    for (int o = 0; o < r->n_options; o++) n += r->options[o][r->state] >= 0;
    return n;
}

static int nth(const Run *r, int i) {
    for (int o = 0;; o++)
        if (r->options[o][r->state] >= 0 && i-- == 0) return o;
}

static void collect(Run *r, int k, Measures *m) {
    static _Thread_local uint8_t visited[STATES];
    memset(visited, 0, sizeof visited);
    Stream stream = new_stream(r->seed, k);
    int x = 0, low = 0, high = 0, force = PRIMITIVE;
    m->visited = visited[r->state] = 1;
    for (int n = STEPS; n > 0;) {
        int a = force < 0 ? below(&stream, ACTIONS + available(r)) : r->options[force][r->state];
        if (a >= ACTIONS) {
            force = nth(r, a - ACTIONS);
            m->calls++;
            continue;
        }
        r->classes[row_class(r->state, a)]++;
        r->state = step(r->state, a);
        m->visited += !visited[r->state];
        visited[r->state] = 1;
        x += 2 * a - 1;
        if (x < low) low = x;
        if (x > high) high = x;
        m->steps += force >= 0;
        if (force >= 0 && r->options[force][r->state] < 0) force = PRIMITIVE;
        n--;
    }
    m->distance = high > -low ? high : -low;
}

/* Factor and select */

/* D by its distinct rows, in ascending lexicographic order; columns of √count × row. */
static int dataset(const Run *r, Matrix columns) {
    struct { double row[BITS]; int64_t count; } rows[CLASSES], swap;
    int d = BITS - r->hide, n = 0;
    for (int c = 0; c < CLASSES; c++) {
        if (r->classes[c] == 0) continue;
        difference(c, r->hide, swap.row);
        swap.count = r->classes[c];
        int at = 0, order = -1;
        for (; at < n; at++) {
            int i = 0;
            while (i < d && rows[at].row[i] == swap.row[i]) i++;
            order = i == d ? 0 : rows[at].row[i] < swap.row[i] ? -1 : 1;
            if (order >= 0) break;
        }
        if (at < n && order == 0) {
            rows[at].count += swap.count;
            continue;
        }
        memmove(&rows[at + 1], &rows[at], (n++ - at) * sizeof swap);
        rows[at] = swap;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < d; j++) columns[j][i] = sqrt((double)rows[i].count) * rows[i].row[j];
    return n;
}

/* Row j of Vᵀ as written; as published row j of V, with the columns of σ = 0 zero. */
static void purpose(const Run *r, const double *sigma, Matrix v, int j, int sign, double *e) {
    for (int i = 0; i < BITS - r->hide; i++) {
        double x = !r->published ? v[j][i] : sigma[i] > 0 ? v[i][j] : 0;
        e[i] = sign > 0 ? x : 0 - x;
    }
}

/* Learn */

/* v after all sweeps from 0, in one of the two tables. */
static double *sweeps(const double *w, Table tables[2]) {
    static _Thread_local double left[STATES], right[STATES];
    double *v = tables[0], *next = tables[1];
    memset(v, 0, sizeof(Table));
    if (by_table) rewards(w, lefts, left), rewards(w, rights, right);
    for (int i = 0; i < SWEEPS; i++) {
        if (by_table) sweep_table(left, right, v, next);
        else sweep_ring(w, v, next);
        double *swap = v;
        v = next, next = swap;
    }
    return v;
}

static void learn(const Run *r, const double *e, Policy policy, Measures *m) {
    static _Thread_local Table w, tables[2];
    double largest = potential(e, r->hide, w), *v = sweeps(w, tables);
    improve(w, v, larger(TOLERANCE, 4 * 0x1p-52 * largest / (1 - GAMMA)), policy);
    for (int s = 0; s < STATES; s++) {
        m->values += v[s + 1];
        if (policy[s] >= 0) m->entries[policy[s]]++;
    }
}

/* A run */

static int8_t *add_option(Run *r) {
    if (r->n_options == r->room) {
        r->room = r->room ? 2 * r->room : 16;
        if ((r->options = realloc(r->options, r->room * sizeof(Policy))) == NULL) {
            perror("pod");
            exit(2);
        }
    }
    return r->options[r->n_options++];
}

static void iterate(Run *r, int k, FILE *out) {
    Measures m = {0};
    Matrix columns, v;
    double sigma[BITS], e[BITS];
    if (!r->published) memset(r->classes, 0, sizeof r->classes);
    collect(r, k, &m);
    int d = BITS - r->hide;
    svd(columns, dataset(r, columns), d, sigma, v);
    for (; m.purposes < d && sigma[m.purposes] > KAPPA; m.purposes++)
        for (int sign = 1; sign >= -1; sign -= 2) {
            purpose(r, sigma, v, m.purposes, sign, e);
            learn(r, e, add_option(r), &m);
        }
    fprintf(out, "%s,%d,%d,%d,%d,%d,", r->published ? "as-published" : "as-written", r->hide, r->seed, k, m.purposes, m.calls);
    if (m.calls > 0) fprintf(out, "%.17g", (double)m.steps / m.calls);
    fprintf(out, ",%d,%d,%.17g,%lld,%lld\n", m.distance, m.visited, m.values, (long long)m.entries[0], (long long)m.entries[1]);
}

static void perform(Run *r) {
    FILE *out = open_memstream(&r->lines, &r->length);
    if (out == NULL) {
        perror("pod");
        exit(2);
    }
    for (int k = 0; k < iterations; k++) iterate(r, k, out);
    fclose(out);
    free(r->options);
}

/* All runs */

static Run *runs;
static int n_runs;
static atomic_int taken;

static void *work(void *unused) {
    for (int i; (i = atomic_fetch_add(&taken, 1)) < n_runs;) perform(&runs[i]);
    return unused;
}

static int usage(void) {
    fputs("usage: pod [--runs N] [--iterations N] [-j THREADS] [--table]\n"
          "  numbers are whole and at least 1; --table looks the ring's neighbours up, as in any graph\n", stderr);
    exit(2);
}

static int number(const char *text, int most) {
    char *end;
    long n = text ? strtol(text, &end, 10) : 0;
    return n >= 1 && n <= most && *end == 0 ? n : usage();
}

int main(int argc, char **argv) {
    int seeds = 30, threads = 1;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--runs")) seeds = number(argv[++i], 100000);
        else if (!strcmp(argv[i], "--iterations")) iterations = number(argv[++i], 1000);
        else if (!strcmp(argv[i], "-j")) threads = number(argv[++i], 256);
        else if (!strcmp(argv[i], "--table")) by_table = 1;
        else usage();
    }
    fill_successors();
    n_runs = 4 * seeds;
    runs = allocate(n_runs * sizeof(Run));
    for (int i = 0; i < n_runs; i++)
        runs[i].published = i / (2 * seeds), runs[i].hide = i / seeds % 2 * 3, runs[i].seed = i % seeds;
    pthread_t *others = allocate(threads * sizeof *others);
    for (int i = 1; i < threads; i++)
        if (pthread_create(&others[i], NULL, work, NULL) != 0) {
            fprintf(stderr, "pod: cannot start %d threads\n", threads);
            return 2;
        }
    work(NULL);
    for (int i = 1; i < threads; i++) pthread_join(others[i], NULL);
    puts("reading,hide,seed,k,purposes,calls,option_length,distance,states_visited,values,left,right");
    for (int i = 0; i < n_runs; i++) fputs(runs[i].lines, stdout);
    return fflush(stdout) != 0 || ferror(stdout) ? 2 : 0;
}
