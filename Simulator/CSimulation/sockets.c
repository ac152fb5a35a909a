#define _GNU_SOURCE
#include "internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define DESCRIPTORS 65536
#define SEND_BUFFER (256 * 1024)
#define SECOND 1000000000LL
/// After so long a connection on which nothing arrives is given up by its keepalives.
#define LONGEST_SILENCE (30 * SECOND)
/// The most that bytes take to a database server, or from it.
#define NEARBY (5 * 1000000LL)

enum kind { SOCKET, LISTENER, EPOLL, EVENT };

/// Bytes on their way, or what ends them.
struct packet {
    struct packet *next;
    int64_t arrives_at;
    size_t count, read;
    bool is_end, is_reset;
    unsigned char bytes[];
};

/// One direction of a connection.
struct pipe {
    struct packet *first, **last;
    size_t count;
    int64_t last_arrival;
};

struct watch { int descriptor; uint32_t events; uint64_t token; };

struct object {
    enum kind kind;
    int number;
    int32_t owner;
    bool is_blocking;
    uint16_t port, peer_port;
    // A socket.
    struct object *peer;
    struct pipe incoming;
    int64_t established_at;
    bool is_connecting, is_refused, is_reset, has_ended, is_shut, is_silent, is_accepted;
    int64_t receive_timeout;
    // A listener.
    bool listens;
    struct object *waiting[1024];
    int waiting_count;
    // An event's counter.
    uint64_t counter;
    // Who is told of what.
    struct watch *watches;
    int watch_count, watch_room;
};

static struct object *table[DESCRIPTORS];
static int highest;
static uint16_t next_port = 20000;
static struct simulation_network network = {.least_delay = 20000, .most_delay = 500000};

void simulation_set_network(struct simulation_network value) { network = value; }

static int32_t ignored = -1;
void simulation_ignore_bytes(int32_t owner) { ignored = owner; }

static struct object *object(int descriptor) {
    return simulation_self() && descriptor >= 0 && descriptor < DESCRIPTORS ? table[descriptor] : NULL;
}

/// The number is one of the system's, so that what the world does not know of finds something there.
static struct object *make(enum kind kind, bool is_blocking) {
    int number = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (number < 0 || number >= DESCRIPTORS) return NULL;
    struct object *made = calloc(1, sizeof *made);
    if (!made) abort();
    made->kind = kind;
    made->number = number;
    made->owner = simulation_owner();
    made->is_blocking = is_blocking;
    made->incoming.last = &made->incoming.first;
    table[number] = made;
    if (number > highest) highest = number;
    return made;
}

// MARK: What is on its way

/// A database server stands beside its clients.
static int64_t delay(const struct object *to) {
    int64_t most = network.most_delay;
    if ((to->owner == ignored || (to->peer && to->peer->owner == ignored)) && most > NEARBY) most = NEARBY;
    return network.least_delay + (int64_t)simulation_below((uint64_t)(most - network.least_delay + 1));
}

static void post(struct object *to, const void *bytes, size_t count, bool is_end, bool is_reset) {
    // The one that ends the silence is there already.
    if (to->is_silent) return;
    struct packet *packet = calloc(1, sizeof *packet + count);
    if (!packet) abort();
    struct pipe *pipe = &to->incoming;
    int64_t arrival = simulation_now() + delay(to);
    if (arrival < pipe->last_arrival) arrival = pipe->last_arrival;
    pipe->last_arrival = packet->arrives_at = arrival;
    packet->count = count;
    packet->is_end = is_end;
    packet->is_reset = is_reset;
    if (count) memcpy(packet->bytes, bytes, count);
    pipe->count += count;
    *pipe->last = packet;
    pipe->last = &packet->next;
}

static void fall_silent(struct object *it) {
    post(it, NULL, 0, false, true);
    struct packet *last = it->incoming.first;
    while (last->next) last = last->next;
    it->incoming.last_arrival = last->arrives_at = simulation_now() + LONGEST_SILENCE;
    it->is_silent = true;
}

static struct packet *arrived(struct object *socket) {
    struct packet *packet = socket->incoming.first;
    return packet && packet->arrives_at <= simulation_now() ? packet : NULL;
}

static void drop(struct pipe *pipe) {
    while (pipe->first) {
        struct packet *packet = pipe->first;
        pipe->first = packet->next;
        free(packet);
    }
    pipe->last = &pipe->first;
    pipe->count = 0;
}

int64_t simulation_next_delivery(void);
int64_t simulation_next_delivery(void) {
    int64_t moment = NEVER, now = simulation_now();
    for (int i = 0; i <= highest; i++) {
        struct object *it = table[i];
        if (!it || it->kind != SOCKET || simulation_is_dead(it->owner)) continue;
        if (it->incoming.first && it->incoming.first->arrives_at > now && it->incoming.first->arrives_at < moment)
            moment = it->incoming.first->arrives_at;
        if (it->established_at > now && it->established_at < moment) moment = it->established_at;
    }
    return moment;
}

static uint32_t readiness(struct object *it) {
    switch (it->kind) {
    case EVENT: return (it->counter ? EPOLLIN : 0) | EPOLLOUT;
    case EPOLL: return 0;
    case LISTENER:
        for (int i = 0; i < it->waiting_count; i++)
            if (it->waiting[i]->established_at <= simulation_now()) return EPOLLIN;
        return 0;
    case SOCKET: break;
    }
    if (it->is_connecting) {
        if (it->established_at > simulation_now()) return 0;
        if (it->is_refused) return EPOLLOUT | EPOLLERR | EPOLLHUP | EPOLLIN;
    } else if (!it->peer && !it->incoming.first && !it->has_ended && !it->is_reset) {
        return EPOLLOUT | EPOLLHUP;
    }
    uint32_t events = 0;
    struct packet *packet = arrived(it);
    if (packet || it->has_ended || it->is_reset) events |= EPOLLIN;
    if (it->has_ended || (packet && packet->is_end)) events |= EPOLLRDHUP | (it->is_shut ? EPOLLHUP : 0);
    if (it->is_reset || (packet && packet->is_reset)) events |= EPOLLHUP | EPOLLERR | EPOLLRDHUP | EPOLLOUT;
    if (!it->peer || it->peer->incoming.count < SEND_BUFFER) events |= EPOLLOUT;
    return events;
}

// MARK: Waiting

struct epoll_wait_state { struct object *epoll; };

static uint32_t ready_events(const struct watch *watch) {
    struct object *it = table[watch->descriptor];
    return it ? readiness(it) & (watch->events | EPOLLERR | EPOLLHUP) : 0;
}

static bool has_event(void *argument) {
    struct object *epoll = argument;
    for (int i = 0; i < epoll->watch_count; i++)
        if (ready_events(&epoll->watches[i])) return true;
    return false;
}

int epoll_create1(int flags) {
    if (!simulation_self()) return REAL(epoll_create1)(flags);
    struct object *made = make(EPOLL, true);
    return made ? made->number : (errno = EMFILE, -1);
}

static struct watch *watch(struct object *epoll, int descriptor) {
    for (int i = 0; i < epoll->watch_count; i++)
        if (epoll->watches[i].descriptor == descriptor) return &epoll->watches[i];
    return NULL;
}

static void unwatch(struct object *epoll, int descriptor) {
    struct watch *found = watch(epoll, descriptor);
    if (!found) return;
    memmove(found, found + 1, (size_t)(&epoll->watches[epoll->watch_count] - (found + 1)) * sizeof *found);
    epoll->watch_count--;
}

int epoll_ctl(int number, int operation, int descriptor, struct epoll_event *event) {
    struct object *epoll = object(number);
    if (!epoll) return REAL(epoll_ctl)(number, operation, descriptor, event);
    struct watch *found = watch(epoll, descriptor);
    if (!object(descriptor)) return errno = EPERM, -1;
    if (operation == EPOLL_CTL_DEL) {
        if (!found) return errno = ENOENT, -1;
        unwatch(epoll, descriptor);
        return 0;
    }
    if (operation == EPOLL_CTL_ADD) {
        if (found) return errno = EEXIST, -1;
        if (epoll->watch_count == epoll->watch_room) {
            epoll->watch_room = epoll->watch_room ? 2 * epoll->watch_room : 16;
            epoll->watches = realloc(epoll->watches, (size_t)epoll->watch_room * sizeof *epoll->watches);
            if (!epoll->watches) abort();
        }
        found = &epoll->watches[epoll->watch_count++];
    }
    if (!found) return errno = ENOENT, -1;
    *found = (struct watch){descriptor, event->events, event->data.u64};
    return 0;
}

int epoll_wait(int number, struct epoll_event *events, int most, int milliseconds) {
    struct object *epoll = object(number);
    if (!epoll) return REAL(epoll_wait)(number, events, most, milliseconds);
    int64_t deadline = milliseconds < 0 ? NEVER : simulation_now() + milliseconds * 1000000LL;
    simulation_wait_for(has_event, epoll, deadline);
    int count = 0;
    // The system tells of them in no order that is promised.
    int first = epoll->watch_count ? (int)simulation_below((uint64_t)epoll->watch_count) : 0;
    for (int i = 0; i < epoll->watch_count && count < most; i++) {
        struct watch *entry = &epoll->watches[(first + i) % epoll->watch_count];
        uint32_t ready = ready_events(entry);
        if (!ready) continue;
        events[count].events = ready;
        events[count++].data.u64 = entry->token;
    }
    return count;
}

int eventfd(unsigned value, int flags) {
    if (!simulation_self()) return REAL(eventfd)(value, flags);
    struct object *made = make(EVENT, false);
    if (!made) return errno = EMFILE, -1;
    made->counter = value;
    return made->number;
}

struct poll_state { struct pollfd *entries; nfds_t count; };

static int poll_now(struct pollfd *entries, nfds_t count) {
    int ready = 0;
    for (nfds_t i = 0; i < count; i++) {
        struct object *it = object(entries[i].fd);
        // The first bits of both have the same meaning.
        entries[i].revents = it ? (short)(readiness(it) & ((uint32_t)entries[i].events | POLLERR | POLLHUP)) : 0;
        ready += entries[i].revents != 0;
    }
    return ready;
}

static bool is_polled(void *argument) {
    struct poll_state *state = argument;
    return poll_now(state->entries, state->count) > 0;
}

int poll(struct pollfd *entries, nfds_t count, int milliseconds) {
    bool is_ours = false;
    for (nfds_t i = 0; i < count; i++) is_ours |= object(entries[i].fd) != NULL;
    if (!is_ours) return REAL(poll)(entries, count, milliseconds);
    struct poll_state state = {entries, count};
    if (milliseconds != 0)
        simulation_wait_for(
            is_polled, &state, milliseconds < 0 ? NEVER : simulation_now() + milliseconds * 1000000LL);
    return poll_now(entries, count);
}
int __poll_chk(struct pollfd *entries, nfds_t count, int milliseconds, size_t size);
int __poll_chk(struct pollfd *entries, nfds_t count, int milliseconds, size_t size) {
    (void)size;
    return poll(entries, count, milliseconds);
}

// MARK: Connections

int socket(int family, int type, int protocol) {
    bool is_stream = (type & 0xFF) == SOCK_STREAM && (family == AF_INET || family == AF_INET6);
    if (!simulation_self() || !is_stream) return REAL(socket)(family, type, protocol);
    // There is one kind of address in this world.
    if (family == AF_INET6) return errno = EAFNOSUPPORT, -1;
    struct object *made = make(SOCKET, !(type & SOCK_NONBLOCK));
    return made ? made->number : (errno = EMFILE, -1);
}

static uint16_t port_of(const struct sockaddr *address) { return ntohs(((const struct sockaddr_in *)address)->sin_port); }

int bind(int number, const struct sockaddr *address, socklen_t length) {
    struct object *it = object(number);
    if (!it) return REAL(bind)(number, address, length);
    it->port = port_of(address) ? port_of(address) : ++next_port;
    return 0;
}

int listen(int number, int backlog) {
    struct object *it = object(number);
    if (!it) return REAL(listen)(number, backlog);
    it->kind = LISTENER;
    it->listens = true;
    return 0;
}

static struct object *listener(uint16_t port) {
    struct object *found = NULL;
    uint64_t count = 0;
    for (int i = 0; i <= highest; i++) {
        struct object *it = table[i];
        if (!it || it->kind != LISTENER || it->port != port || simulation_is_dead(it->owner)) continue;
        if (simulation_below(++count) == 0) found = it;
    }
    return found;
}

static bool is_established(void *argument) { return ((struct object *)argument)->established_at <= simulation_now(); }

int connect(int number, const struct sockaddr *address, socklen_t length) {
    struct object *it = object(number);
    if (!it) return REAL(connect)(number, address, length);
    if (address->sa_family == AF_UNSPEC) {
        if (it->peer) post(it->peer, NULL, 0, false, true);
        it->is_reset = true;
        return 0;
    }
    it->peer_port = port_of(address);
    it->port = ++next_port;
    it->is_connecting = true;
    struct object *to = listener(it->peer_port);
    it->established_at = simulation_now() + 2 * delay(to ? to : it);
    if (!to || to->waiting_count == 1024) {
        it->is_refused = true;
    } else {
        struct object *other = make(SOCKET, false);
        if (!other) return errno = EMFILE, -1;
        other->owner = to->owner;
        other->is_accepted = true;
        other->peer = it;
        other->port = it->peer_port;
        other->peer_port = it->port;
        other->established_at = it->established_at;
        it->peer = other;
        to->waiting[to->waiting_count++] = other;
    }
    if (!it->is_blocking) return errno = EINPROGRESS, -1;
    simulation_wait_for(is_established, it, NEVER);
    it->is_connecting = false;
    return it->is_refused ? (errno = ECONNREFUSED, -1) : 0;
}

static socklen_t put_address(uint16_t port, struct sockaddr *address, socklen_t *length) {
    struct sockaddr_in made = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    if (!address || !length) return 0;
    memcpy(address, &made, *length < sizeof made ? *length : sizeof made);
    return *length = sizeof made;
}

static bool has_waiting(void *argument) { return readiness(argument) != 0; }

int accept4(int number, struct sockaddr *address, socklen_t *length, int flags) {
    struct object *it = object(number);
    if (!it) return REAL(accept4)(number, address, length, flags);
    if (it->is_blocking) simulation_wait_for(has_waiting, it, NEVER);
    for (int i = 0; i < it->waiting_count; i++) {
        struct object *accepted = it->waiting[i];
        if (accepted->established_at > simulation_now()) continue;
        memmove(&it->waiting[i], &it->waiting[i + 1], (size_t)(it->waiting_count - i - 1) * sizeof it->waiting[0]);
        it->waiting_count--;
        put_address(accepted->peer_port, address, length);
        accepted->is_blocking = !(flags & SOCK_NONBLOCK);
        return accepted->number;
    }
    return errno = EAGAIN, -1;
}

int getsockname(int number, struct sockaddr *address, socklen_t *length) {
    struct object *it = object(number);
    if (!it) return REAL(getsockname)(number, address, length);
    put_address(it->port, address, length);
    return 0;
}

int getpeername(int number, struct sockaddr *address, socklen_t *length) {
    struct object *it = object(number);
    if (!it) return REAL(getpeername)(number, address, length);
    if (it->kind != SOCKET || (!it->peer && !it->has_ended)) return errno = ENOTCONN, -1;
    put_address(it->peer_port, address, length);
    return 0;
}

int setsockopt(int number, int level, int option, const void *value, socklen_t length) {
    struct object *it = object(number);
    if (!it) return REAL(setsockopt)(number, level, option, value, length);
    if (level == SOL_SOCKET && option == SO_RCVTIMEO && length >= sizeof(struct timeval)) {
        const struct timeval *limit = value;
        it->receive_timeout = limit->tv_sec * SECOND + limit->tv_usec * 1000;
    }
    return 0;
}

int getsockopt(int number, int level, int option, void *value, socklen_t *length) {
    struct object *it = object(number);
    if (!it) return REAL(getsockopt)(number, level, option, value, length);
    memset(value, 0, *length);
    if (level == SOL_SOCKET && option == SO_ERROR && *length >= sizeof(int)) {
        *(int *)value = it->is_refused ? ECONNREFUSED : it->is_reset ? ECONNRESET : 0;
        if (it->is_connecting && !it->is_refused && it->established_at <= simulation_now()) it->is_connecting = false;
    }
    return 0;
}

int shutdown(int number, int how) {
    struct object *it = object(number);
    if (!it) return REAL(shutdown)(number, how);
    if (how != SHUT_RD && !it->is_shut) {
        it->is_shut = true;
        if (it->peer) post(it->peer, NULL, 0, true, false);
    }
    return 0;
}

static void unqueue(struct object *listener, struct object *it) {
    for (int i = 0; i < listener->waiting_count; i++) {
        if (listener->waiting[i] != it) continue;
        size_t rest = (size_t)(listener->waiting_count - i - 1);
        memmove(&listener->waiting[i], &listener->waiting[i + 1], rest * sizeof it);
        listener->waiting_count--;
        return;
    }
}

static void release(struct object *it, bool is_abrupt) {
    if (it->peer) {
        bool is_lost = is_abrupt || it->incoming.first;
        if (is_lost) post(it->peer, NULL, 0, false, true);
        else if (!it->is_shut) post(it->peer, NULL, 0, true, false);
        it->peer->peer = NULL;
    }
    for (int i = 0; i < it->waiting_count; i++) {
        struct object *waiting = it->waiting[i];
        if (waiting->peer) {
            post(waiting->peer, NULL, 0, false, true);
            waiting->peer->peer = NULL;
            waiting->peer = NULL;
        }
    }
    drop(&it->incoming);
    for (int i = 0; i <= highest; i++) {
        if (!table[i]) continue;
        if (table[i]->kind == EPOLL) unwatch(table[i], it->number);
        if (table[i]->kind == LISTENER) unqueue(table[i], it);
    }
    table[it->number] = NULL;
    free(it->watches);
    free(it);
}

int close(int number) {
    struct object *it = object(number);
    if (it) release(it, false);
    else simulation_file_closes(number);
    return REAL(close)(number);
}

void simulation_close_all(int32_t owner) {
    for (int i = 0; i <= highest; i++)
        if (table[i] && table[i]->owner == owner) {
            int number = table[i]->number;
            release(table[i], true);
            REAL(close)(number);
        }
}

size_t simulation_sockets(int32_t owner) {
    size_t count = 0;
    for (int i = 0; i <= highest; i++) count += table[i] && table[i]->owner == owner;
    return count;
}

// MARK: Bytes

static bool has_bytes(void *argument) {
    struct object *it = argument;
    return arrived(it) || it->has_ended || it->is_reset;
}

static ssize_t take(struct object *it, void *buffer, size_t count, int flags) {
    if (it->is_connecting && it->established_at <= simulation_now() && !it->is_refused) it->is_connecting = false;
    if (it->is_blocking && !(flags & MSG_DONTWAIT))
        simulation_wait_for(
            has_bytes, it, it->receive_timeout ? simulation_now() + it->receive_timeout : NEVER);
    if (it->is_reset) return errno = ECONNRESET, -1;
    if (it->has_ended) return 0;
    if (count > 1 && simulation_happens(network.short_reads)) count = 1 + simulation_below(count - 1);
    size_t done = 0;
    unsigned char *bytes = buffer;
    for (struct packet *packet; done < count && (packet = arrived(it));) {
        if (packet->is_end || packet->is_reset) {
            if (done > 0) break;
            it->is_reset = packet->is_reset;
            it->has_ended = !packet->is_reset;
            drop(&it->incoming);
            return it->is_reset ? (errno = ECONNRESET, -1) : 0;
        }
        size_t part = packet->count - packet->read;
        if (part > count - done) part = count - done;
        memcpy(bytes + done, packet->bytes + packet->read, part);
        done += part;
        if (flags & MSG_PEEK) break;
        packet->read += part;
        it->incoming.count -= part;
        if (packet->read < packet->count) break;
        it->incoming.first = packet->next;
        if (!packet->next) it->incoming.last = &it->incoming.first;
        free(packet);
    }
    return done ? (ssize_t)done : (errno = EAGAIN, -1);
}

static ssize_t give(struct object *it, const struct iovec *parts, size_t part_count) {
    if (it->is_connecting && it->established_at <= simulation_now() && !it->is_refused) it->is_connecting = false;
    if (it->is_connecting) return errno = it->is_refused ? ECONNREFUSED : EAGAIN, -1;
    if (it->is_reset) return errno = ECONNRESET, -1;
    if (!it->peer || it->is_shut) return errno = EPIPE, -1;
    if (simulation_happens(network.resets)) {
        post(it->peer, NULL, 0, false, true);
        it->peer->peer = NULL;
        it->peer = NULL;
        it->is_reset = true;
        return errno = ECONNRESET, -1;
    }
    size_t count = 0;
    for (size_t i = 0; i < part_count; i++) count += parts[i].iov_len;
    size_t room = it->peer->incoming.count < SEND_BUFFER ? SEND_BUFFER - it->peer->incoming.count : 0;
    if (room == 0 && count > 0) return errno = EAGAIN, -1;
    if (count > room) count = room;
    if (count > 1 && simulation_happens(network.short_writes)) count = 1 + simulation_below(count - 1);
    unsigned char *bytes = malloc(count ? count : 1);
    if (!bytes) abort();
    size_t done = 0;
    for (size_t i = 0; i < part_count && done < count; i++) {
        size_t part = parts[i].iov_len < count - done ? parts[i].iov_len : count - done;
        memcpy(bytes + done, parts[i].iov_base, part);
        done += part;
    }
    bool is_heard = it->owner != ignored && it->peer->owner != ignored;
    for (size_t i = 0; i < done && is_heard; i++) simulation_note(bytes[i]);
    if (!it->is_silent && simulation_happens(network.silences)) {
        fall_silent(it);
        fall_silent(it->peer);
    }
    if (done) post(it->peer, bytes, done, false, false);
    free(bytes);
    if (done && !it->is_accepted && simulation_happens(network.half_closes)) {
        it->is_shut = true;
        post(it->peer, NULL, 0, true, false);
    }
    return (ssize_t)done;
}

ssize_t recv(int number, void *buffer, size_t count, int flags) {
    struct object *it = object(number);
    return it ? take(it, buffer, count, flags) : REAL(recv)(number, buffer, count, flags);
}
ssize_t __recv_chk(int number, void *buffer, size_t count, size_t size, int flags);
ssize_t __recv_chk(int number, void *buffer, size_t count, size_t size, int flags) {
    (void)size;
    return recv(number, buffer, count, flags);
}

ssize_t send(int number, const void *buffer, size_t count, int flags) {
    struct object *it = object(number);
    struct iovec part = {(void *)buffer, count};
    return it ? give(it, &part, 1) : REAL(send)(number, buffer, count, flags);
}

ssize_t sendmsg(int number, const struct msghdr *message, int flags) {
    struct object *it = object(number);
    return it ? give(it, message->msg_iov, message->msg_iovlen) : REAL(sendmsg)(number, message, flags);
}

ssize_t read(int number, void *buffer, size_t count) {
    struct object *it = object(number);
    if (!it) return REAL(read)(number, buffer, count);
    if (it->kind == SOCKET) return take(it, buffer, count, 0);
    if (!it->counter) return errno = EAGAIN, -1;
    memcpy(buffer, &it->counter, 8);
    it->counter = 0;
    return 8;
}
ssize_t __read_chk(int number, void *buffer, size_t count, size_t size);
ssize_t __read_chk(int number, void *buffer, size_t count, size_t size) {
    (void)size;
    return read(number, buffer, count);
}

ssize_t write(int number, const void *buffer, size_t count) {
    struct object *it = object(number);
    struct iovec part = {(void *)buffer, count};
    if (!it) {
        int error = simulation_file_writes(number, -1, count);
        return error ? (errno = error, -1) : REAL(write)(number, buffer, count);
    }
    if (it->kind == SOCKET) return give(it, &part, 1);
    uint64_t more;
    memcpy(&more, buffer, 8);
    it->counter += more;
    return 8;
}

int ioctl(int number, unsigned long request, ...) {
    va_list arguments;
    va_start(arguments, request);
    void *value = va_arg(arguments, void *);
    va_end(arguments);
    struct object *it = object(number);
    if (!it) return REAL(ioctl)(number, request, value);
    if (request == FIONBIO) it->is_blocking = !*(int *)value;
    return 0;
}

int fcntl(int number, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *value = va_arg(arguments, void *);
    va_end(arguments);
    struct object *it = object(number);
    if (it && command == F_SETFL) it->is_blocking = !((intptr_t)value & O_NONBLOCK);
    return REAL(fcntl)(number, command, value);
}
int fcntl64(int number, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *value = va_arg(arguments, void *);
    va_end(arguments);
    return fcntl(number, command, value);
}
