/* measure FILE LABEL COMMAND…: runs the command and appends to FILE a line of LABEL,
 * wall time and CPU time in seconds (children that it waited for included) and the
 * peak of resident memory in KiB, with tabs between. It exits as the command does. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t) { return t.tv_sec + t.tv_usec / 1e6; }

int main(int argc, char **argv) {
    struct timespec from, to;
    struct rusage used;
    int status;
    if (argc < 4) {
        fputs("usage: measure FILE LABEL COMMAND...\n", stderr);
        return 2;
    }
    clock_gettime(CLOCK_MONOTONIC, &from);
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[3], argv + 3);
        perror(argv[3]);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &used) < 0) {
        perror("measure");
        return 2;
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    FILE *out = fopen(argv[1], "a");
    if (out == NULL) {
        perror(argv[1]);
        return 2;
    }
#ifdef __APPLE__ /* counts bytes */
    used.ru_maxrss /= 1024;
#endif
    fprintf(out, "%s\t%.3f\t%.3f\t%ld\n", argv[2], to.tv_sec - from.tv_sec + (to.tv_nsec - from.tv_nsec) / 1e9,
            seconds(used.ru_utime) + seconds(used.ru_stime), (long)used.ru_maxrss);
    if (fclose(out) != 0) {
        perror(argv[1]);
        return 2;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}
