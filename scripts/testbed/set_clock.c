/* A wall clock that somebody else sets, for LD_PRELOAD; the clocks that nobody sets are left as they are. One of two
 * files holds a 64-bit number that may change at any time: SKEWED_CLOCK, by how many milliseconds the clock is off, and
 * SHOWN_CLOCK, what it shows, in nanoseconds since 1970. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *offset, *shown;

static const volatile int64_t *number_in(const char *path) {
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return NULL;
    void *page = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    return page == MAP_FAILED ? NULL : page;
}

__attribute__((constructor)) static void find_numbers(void) {
    offset = number_in(getenv("SKEWED_CLOCK"));
    shown = number_in(getenv("SHOWN_CLOCK"));
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int failed = (int)syscall(SYS_clock_gettime, clock, time);
    if (failed || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return failed;
    if (shown) {
        int64_t now = *shown;
        time->tv_sec = now / 1000000000;
        time->tv_nsec = now % 1000000000;
    } else if (offset) {
        int64_t nanoseconds = time->tv_nsec + (*offset % 1000) * 1000000;
        time->tv_sec += *offset / 1000 + (nanoseconds < 0 ? -1 : nanoseconds / 1000000000);
        time->tv_nsec = nanoseconds < 0 ? nanoseconds + 1000000000 : nanoseconds % 1000000000;
    }
    return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    struct timespec time;
    if (clock_gettime(CLOCK_REALTIME, &time)) return -1;
    now->tv_sec = time.tv_sec;
    now->tv_usec = time.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
