#ifndef CLINUX_H
#define CLINUX_H

#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

/// accept4 with SOCK_NONBLOCK and SOCK_CLOEXEC set atomically; Glibc's Swift overlay does not show it.
int clinux_accept(int listener, struct sockaddr_storage *address, socklen_t *length);

/// sendmsg of two pieces of memory, one after the other; a peer that is gone is an error (MSG_NOSIGNAL).
ssize_t clinux_send_two(int socket, const void *first, size_t first_length, const void *second, size_t second_length);

/// epoll_ctl with the token the event will carry; `operation` is EPOLL_CTL_ADD, EPOLL_CTL_MOD or EPOLL_CTL_DEL.
int clinux_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t token);

/// Calls `body` with `context` on a new thread, which nobody waits for. As on Dispatch's threads, no signal is handled
/// there but those that the thread itself causes. Returns 0, or an error number.
int clinux_start_thread(const char *name, void (*body)(void *context), void *context);

/// How many processors this thread may run on (sched_getaffinity); 0 when the system does not say.
int clinux_processors(void);

/// Which state of the source the program was built from, as the build was told; "unknown" where it was not.
const char *clinux_revision(void);

/// The event flags as plain integers: in C they are an enum, which Swift imports with a type of its own.
static const uint32_t clinux_readable = EPOLLIN;
static const uint32_t clinux_writable = EPOLLOUT;
static const uint32_t clinux_hangup = EPOLLHUP;
static const uint32_t clinux_peer_closed = EPOLLRDHUP;
static const uint32_t clinux_failed = EPOLLERR;

#endif
