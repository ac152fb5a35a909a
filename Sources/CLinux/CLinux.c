#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

int clinux_accept(int listener, struct sockaddr_storage *address, socklen_t *length) {
    return accept4(listener, (struct sockaddr *)address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

ssize_t clinux_send_two(int socket, const void *first, size_t first_length, const void *second, size_t second_length) {
    struct iovec parts[2] = {{(void *)first, first_length}, {(void *)second, second_length}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

int clinux_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data = {.u64 = token}};
    return epoll_ctl(epoll, operation, descriptor, &event);
}

struct start {
    void (*body)(void *);
    void *context;
    char name[16];
};

static void *run(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
    pthread_setname_np(pthread_self(), start.name);
    start.body(start.context);
    return NULL;
}

int clinux_start_thread(const char *name, void (*body)(void *), void *context) {
    struct start *start = calloc(1, sizeof *start);
    if (!start) return ENOMEM;
    start->body = body;
    start->context = context;
    strncpy(start->name, name, sizeof start->name - 1);

    // A new thread has the signal mask of the one that makes it.
    static const int own[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&blocked, own[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    pthread_t thread;
    int error = pthread_create(&thread, NULL, run, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);

    if (error) free(start);
    else pthread_detach(thread);
    return error;
}

int clinux_processors(void) {
    // The set must be at least as large as the kernel's own, whose size it does not tell.
    for (int size = 1024; size <= 1 << 20; size *= 4) {
        cpu_set_t *set = CPU_ALLOC(size);
        if (!set) return 0;
        size_t bytes = CPU_ALLOC_SIZE(size);
        int failed = sched_getaffinity(0, bytes, set);
        int count = failed ? 0 : CPU_COUNT_S(bytes, set);
        CPU_FREE(set);
        if (!failed) return count;
        if (errno != EINVAL) return 0;
    }
    return 0;
}

#ifndef BUILD_REVISION
#define BUILD_REVISION "unknown"
#endif

const char *clinux_revision(void) {
    return BUILD_REVISION;
}

// With fewer addresses no thread can be made, and libdispatch sleeps and tries again for ever: an asynchronous main
// would never begin, so this is said before it.
static const rlim_t least_addresses = 96ul << 20;

__attribute__((constructor)) static void refuse_to_hang(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur >= least_addresses) return;
    dprintf(STDERR_FILENO,
            "%s: the address space is limited to %lu MiB, which leaves no room for threads; expected 1024 at least, or no "
            "limit (ulimit -v unlimited)\n",
            program_invocation_short_name, (unsigned long)(limit.rlim_cur >> 20));
    _exit(2);
}
