#define _GNU_SOURCE
#include "internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

// The way to a database server that is a process of its own. It is not of the world, which stands still for as long as
// something is waited for here.

#define PATIENCE 30000

static char folder[108];
static pid_t process;
static PGconn *control;

static bool show_time(void) {
    char path[128];
    snprintf(path, sizeof path, "%s/clock", folder);
    int file = REAL(open)(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0 || REAL(ftruncate)(file, sizeof(int64_t))) return false;
    void *page = mmap(NULL, sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    REAL(close)(file);
    if (page == MAP_FAILED) return false;
    simulation_show_time(page);
    return true;
}

bool simulation_engine_begin(const char *place, const char *command) {
    char *words[] = {"sh", "-c", (char *)command, NULL};
    snprintf(folder, sizeof folder, "%s", place);
    if (!show_time() || posix_spawn(&process, "/bin/sh", NULL, NULL, words, environ)) return false;
    char address[160];
    snprintf(address, sizeof address, "host=%s user=gatehouse dbname=postgres", folder);
    for (int waited = 0; waited < PATIENCE && !waitpid(process, NULL, WNOHANG); waited += 2) {
        control = PQconnectdb(address);
        if (PQstatus(control) == CONNECTION_OK) return true;
        PQfinish(control);
        control = NULL;
        REAL(poll)(NULL, 0, 2);
    }
    return false;
}

void simulation_engine_end(void) {
    kill(process, SIGQUIT);
    waitpid(process, NULL, 0);
}

bool simulation_engine_answers_yes(const char *query) {
    PGresult *result = PQexec(control, query);
    bool is_yes = PQntuples(result) == 1 && !strcmp(PQgetvalue(result, 0, 0), "t");
    PQclear(result);
    return is_yes;
}

int simulation_engine_connect(void) {
    int made = REAL(socket)(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%.80s/.s.PGSQL.5432", folder);
    if (made >= 0 && !REAL(connect)(made, (struct sockaddr *)&address, sizeof address)) return made;
    if (made >= 0) REAL(close)(made);
    return -1;
}

int simulation_engine_listen(uint16_t port) {
    int made = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    if (made < 0 || bind(made, (struct sockaddr *)&address, sizeof address) || listen(made, 64)) return -1;
    return made;
}

int simulation_engine_accept(int listener) { return accept4(listener, NULL, NULL, 0); }

bool simulation_engine_is_readable(int socket, int milliseconds) {
    struct pollfd entry = {.fd = socket, .events = POLLIN};
    return REAL(poll)(&entry, 1, milliseconds) > 0;
}

bool simulation_engine_give(int socket, const void *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t sent = send(socket, (const char *)bytes + done, count - done, MSG_NOSIGNAL);
        if (sent < 0 && errno == EAGAIN) simulation_sleep(1000000);
        else if (sent <= 0) return false;
        else done += (size_t)sent;
    }
    return true;
}

ssize_t simulation_engine_take(int socket, void *buffer, size_t count, int64_t nanoseconds) {
    struct timeval limit = {nanoseconds / 1000000000, nanoseconds % 1000000000 / 1000};
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return recv(socket, buffer, count, 0);
}
