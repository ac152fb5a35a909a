#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL

/// Of the clock that never jumps: later than the process may think that it began.
static const int64_t uptime = 1000 * SECOND;

static int64_t wall(void) { return simulation_beginning + simulation_now() + simulation_skew_of(simulation_owner()); }

static bool is_wall(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE; }

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!simulation_self()) return REAL(clock_gettime)(clock, time);
    int64_t now = is_wall(clock) ? wall() : uptime + simulation_now();
    time->tv_sec = now / SECOND;
    time->tv_nsec = now % SECOND;
    return 0;
}

int gettimeofday(struct timeval *time, void *zone) {
    if (!simulation_self()) return REAL(gettimeofday)(time, zone);
    int64_t now = wall();
    time->tv_sec = now / SECOND;
    time->tv_usec = now % SECOND / 1000;
    return 0;
}

time_t time(time_t *place) {
    if (!simulation_self()) return REAL(time)(place);
    time_t now = wall() / SECOND;
    if (place) *place = now;
    return now;
}

int nanosleep(const struct timespec *time, struct timespec *left) {
    if (!simulation_self()) return REAL(nanosleep)(time, left);
    simulation_sleep(time->tv_sec * SECOND + time->tv_nsec);
    return 0;
}

int usleep(useconds_t microseconds) {
    if (!simulation_self()) return REAL(usleep)(microseconds);
    simulation_sleep((int64_t)microseconds * 1000);
    return 0;
}

unsigned sleep(unsigned seconds) {
    if (!simulation_self()) return REAL(sleep)(seconds);
    simulation_sleep((int64_t)seconds * SECOND);
    return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
    if (!simulation_self()) return REAL(clock_nanosleep)(clock, flags, time, left);
    int64_t moment = time->tv_sec * SECOND + time->tv_nsec;
    if (flags & TIMER_ABSTIME) moment -= is_wall(clock) ? wall() : uptime + simulation_now();
    if (moment > 0) simulation_sleep(moment);
    return 0;
}
