/* A wall clock that another process shows: nanoseconds since 1970, in the file that SHOWN_CLOCK names. For LD_PRELOAD;
 * the clocks that nobody sets are left as they are. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *shown;

__attribute__((constructor)) static void find_clock(void) {
    const char *path = getenv("SHOWN_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *page = mmap(NULL, sizeof *shown, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (page != MAP_FAILED) shown = page;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!shown || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE))
        return (int)syscall(SYS_clock_gettime, clock, time);
    int64_t now = *shown;
    time->tv_sec = now / 1000000000;
    time->tv_nsec = now % 1000000000;
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
