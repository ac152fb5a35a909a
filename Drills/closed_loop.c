/* A crowd of clients, each of which sends a request over its own kept connection, waits for the answer, pauses, and
 * sends the next. Each answer becomes a record in a file, for who started this to count.
 *
 *   closed_loop PORT CLIENTS MILLISECONDS PAUSE PATIENCE RETURNS OUTPUT METHOD PATH TYPE BEARER BODY
 *
 * PAUSE is what each client pauses, in milliseconds, half as much or half as much again; after PATIENCE of them a
 * client hangs up, connects anew and asks for something else. RETURNS is what who is refused with Retry-After does:
 * "told" comes back when it said, or up to half as much later, and "soon" pauses as ever. In BODY twelve @ become a
 * number that no other request has. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 16384, EVENTS = 512, TICK = 1, LOST_PAUSE = 100, MARK = 12 };
enum state { RESTING, CONNECTING, WAITING };
/* In place of a status: the patience of a client ran out, or the connection was closed. */
enum { IMPATIENT = 0, LOST = 1 };

struct record {
    uint32_t began, took; /* microseconds, the first since the start */
    uint16_t status, retry_after; /* 65535 where there is none */
};

struct client {
    int socket;
    enum state state;
    uint64_t began, next;
    size_t received;
    char *room;
};

static struct client *clients;
static uint64_t start, end;
static uint32_t pause_us, patience_us;
static int returns_as_told, epoll;
static struct sockaddr_in server;
static FILE *output;
static const char *method, *path, *type, *bearer, *body;
static uint64_t number;
static size_t waiting;

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

static void die(const char *what) {
    perror(what);
    exit(1);
}

static void hang_up(struct client *client) {
    if (client->socket >= 0) close(client->socket);
    client->socket = -1;
}

/* The client's request is over, and it rests for so long. */
static void rest(struct client *client, uint16_t status, uint16_t retry_after, uint64_t pause) {
    uint64_t at = now();
    struct record record = {(uint32_t)(client->began - start), (uint32_t)(at - client->began), status, retry_after};
    if (fwrite(&record, sizeof record, 1, output) != 1) die("writing");
    waiting -= 1;
    client->state = RESTING;
    client->next = at + pause;
}

static uint64_t around(uint64_t pause) { return pause / 2 + (pause ? (uint64_t)random() % (pause + 1) : 0); }

static size_t compose(char *request, size_t room) {
    char mark[MARK + 1];
    snprintf(mark, sizeof mark, "%012llx", (unsigned long long)++number & 0xffffffffffff);
    int head = snprintf(
        request, room, "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s%s%s%s%s%sContent-Length: %zu\r\n\r\n%s",
        method, path, *type ? "Content-Type: " : "", type, *type ? "\r\n" : "", *bearer ? "Authorization: Bearer " : "",
        bearer, *bearer ? "\r\n" : "", strlen(body), body);
    if (head < 0 || (size_t)head >= room) die("a request");
    for (char *place = request; (place = strstr(place, "@@@@@@@@@@@@"));) memcpy(place, mark, MARK);
    return (size_t)head;
}

static void ask(struct client *client) {
    static char request[ROOM];
    size_t length = compose(request, ROOM);
    client->received = 0;
    client->state = WAITING;
    if (send(client->socket, request, length, MSG_NOSIGNAL) != (ssize_t)length) {
        hang_up(client);
        rest(client, LOST, UINT16_MAX, LOST_PAUSE * 1000);
    }
}

static void begin(struct client *client) {
    client->began = now();
    waiting += 1;
    if (client->socket >= 0) {
        ask(client);
        return;
    }
    client->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (client->socket < 0) die("socket");
    client->state = CONNECTING;
    struct epoll_event event = {.events = EPOLLOUT, .data.ptr = client};
    if (connect(client->socket, (struct sockaddr *)&server, sizeof server) && errno != EINPROGRESS) {
        hang_up(client);
        rest(client, LOST, UINT16_MAX, LOST_PAUSE * 1000);
    } else if (epoll_ctl(epoll, EPOLL_CTL_ADD, client->socket, &event)) {
        die("epoll_ctl");
    }
}

/* The value of a field of the head, or NULL. */
static const char *field(const char *head, const char *name) {
    size_t length = strlen(name);
    for (const char *line = strstr(head, "\r\n"); line; line = strstr(line + 2, "\r\n")) {
        if (!strncasecmp(line + 2, name, length) && line[2 + length] == ':') return line + 3 + length;
    }
    return NULL;
}

/* Whether the whole answer is there; then the client rests. */
static int is_answered(struct client *client) {
    char *head_end = memmem(client->room, client->received, "\r\n\r\n", 4);
    if (!head_end) return 0;
    *head_end = 0;
    const char *length = field(client->room, "content-length"), *retry = field(client->room, "retry-after"),
               *connection = field(client->room, "connection");
    size_t content = length ? strtoul(length, NULL, 10) : 0;
    if (client->received < (size_t)(head_end + 4 - client->room) + content) {
        *head_end = '\r';
        return 0;
    }
    uint16_t status = (uint16_t)atoi(client->room + 9), after = retry ? (uint16_t)atoi(retry) : UINT16_MAX;
    if (connection && !strncasecmp(connection + strspn(connection, " "), "close", 5)) hang_up(client);
    uint64_t told = (uint64_t)after * 1000000;
    rest(client, status, after, retry && returns_as_told ? told + (uint64_t)random() % (told / 2 + 1) : around(pause_us));
    if (client->next <= now() && client->next < end) begin(client);
    return 1;
}

static void receive(struct client *client) {
    ssize_t count = recv(client->socket, client->room + client->received, ROOM - 1 - client->received, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count > 0 && client->state == WAITING) {
        client->received += (size_t)count;
        client->room[client->received] = 0;
        if (is_answered(client) || client->received < ROOM - 1) return;
    }
    hang_up(client);
    if (client->state == WAITING) rest(client, LOST, UINT16_MAX, LOST_PAUSE * 1000);
}

static void happen(struct epoll_event *event) {
    struct client *client = event->data.ptr;
    if (client->state == CONNECTING) {
        int error = 0;
        socklen_t size = sizeof error;
        getsockopt(client->socket, SOL_SOCKET, SO_ERROR, &error, &size);
        struct epoll_event next = {.events = EPOLLIN, .data.ptr = client};
        if (!error && !epoll_ctl(epoll, EPOLL_CTL_MOD, client->socket, &next)) {
            ask(client);
            return;
        }
        hang_up(client);
        rest(client, LOST, UINT16_MAX, LOST_PAUSE * 1000);
    } else if (client->socket >= 0) {
        receive(client);
    }
}

static void look_at_clock(size_t count) {
    static uint64_t last;
    uint64_t at = now();
    if (at - last < 1000 * TICK) return;
    last = at;
    for (struct client *client = clients; client < clients + count; client++) {
        if (client->state == RESTING) {
            if (client->next <= at && at < end) begin(client);
        } else if (at - client->began > patience_us && at > client->began) {
            hang_up(client);
            rest(client, IMPATIENT, UINT16_MAX, around(pause_us));
        }
    }
}

int main(int count, char **words) {
    if (count != 13) return 2;
    size_t crowd = strtoul(words[2], NULL, 10);
    pause_us = (uint32_t)strtoul(words[4], NULL, 10) * 1000;
    patience_us = (uint32_t)strtoul(words[5], NULL, 10) * 1000;
    returns_as_told = !strcmp(words[6], "told");
    method = words[8], path = words[9], type = words[10], bearer = words[11], body = words[12];
    server = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(words[1])),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (!(output = fopen(words[7], "wb")) || (epoll = epoll_create1(EPOLL_CLOEXEC)) < 0) die(words[7]);
    clients = calloc(crowd, sizeof *clients);
    start = now();
    end = start + strtoul(words[3], NULL, 10) * 1000;
    srandom((unsigned)start);
    /* Other crowds of the same drill have other numbers, and so has the next. */
    number = start << 20 ^ (uint64_t)getpid() << 40;
    for (struct client *client = clients; client < clients + crowd; client++) {
        client->socket = -1;
        if (!(client->room = malloc(ROOM))) die("malloc");
        client->next = start + around(pause_us) / 2;
    }
    while (now() < end || waiting) {
        struct epoll_event events[EVENTS];
        look_at_clock(crowd);
        int happened = epoll_wait(epoll, events, EVENTS, TICK);
        for (int index = 0; index < happened; index++) happen(&events[index]);
    }
    return fclose(output) ? 1 : 0;
}
