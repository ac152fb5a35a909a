// usage: floor PORT DISCOVERY_URL CLIENT_ID CLIENT_SECRET
//
// Serves GET /healthz and POST /auth/zenkey-signin on 127.0.0.1. The carrier is plain http on one address, with /token,
// /userinfo and /jwks. FLOOR_HTTP=sockets calls it over bare sockets instead of libcurl. The store is made in a new
// folder below TMPDIR, and left there.
#include "floor.h"
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

static int events_descriptor;

void watch(struct watcher *watcher, unsigned events) {
    struct epoll_event event = {.events = events, .data.ptr = watcher};
    epoll_ctl(events_descriptor, EPOLL_CTL_ADD, watcher->descriptor, &event);
}

void watch_again(struct watcher *watcher, unsigned events) {
    struct epoll_event event = {.events = events, .data.ptr = watcher};
    epoll_ctl(events_descriptor, EPOLL_CTL_MOD, watcher->descriptor, &event);
}

void stop_watching(int descriptor) { epoll_ctl(events_descriptor, EPOLL_CTL_DEL, descriptor, NULL); }

static void request_ready(struct watcher *watcher, unsigned events) {
    (void)events;
    read_request(watcher->sign_in);
}

static void connection_ready(struct watcher *watcher, unsigned events) {
    (void)events;
    int descriptor = accept4(watcher->descriptor, NULL, NULL, SOCK_CLOEXEC), one = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct sign_in *sign_in = calloc(1, sizeof *sign_in);
    struct watcher *client = malloc(sizeof *client);
    REQUIRE(sign_in != NULL && client != NULL, "there is memory");
    sign_in->descriptor = descriptor;
    *client = (struct watcher){request_ready, sign_in, descriptor};
    join_carrier(sign_in);
    watch(client, EPOLLIN);
}

static int listen_on(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    REQUIRE(bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0, "the port is free");
    listen(descriptor, 4096);
    return descriptor;
}

static void read_arguments(char **arguments) {
    int found = sscanf(arguments[2], "http://%255[^:/]:%d", carrier_address.host, &carrier_address.port);
    REQUIRE(found == 2, "the discovery URL is http://ADDRESS:PORT/…");
    char credentials[SMALL_TEXT], text[2 * SMALL_TEXT];
    int count = snprintf(credentials, sizeof credentials, "%s:%s", arguments[3], arguments[4]);
    REQUIRE(count < SMALL_TEXT, "client and secret are short");
    EVP_EncodeBlock((unsigned char *)text, (const unsigned char *)credentials, count);
    snprintf(carrier_address.basic, sizeof carrier_address.basic, "Authorization: Basic %s", text);
}

static void open_store_in_new_folder(const char *client) {
    char path[4096];
    const char *parent = getenv("TMPDIR");
    snprintf(path, sizeof path - 16, "%s/floor.XXXXXX", parent ? parent : "/tmp");
    REQUIRE(mkdtemp(path) != NULL, "a folder can be made");
    strcat(path, "/users.db");
    open_store(path, client, carrier_address.host);
}

int main(int count, char **arguments) {
    REQUIRE(count == 5, "usage: floor PORT DISCOVERY_URL CLIENT_ID CLIENT_SECRET");
    read_arguments(arguments);
    const char *http = getenv("FLOOR_HTTP");
    open_carrier(http == NULL || strcmp(http, "sockets") != 0);
    read_keys(fetch_keys());
    open_store_in_new_folder(arguments[3]);
    events_descriptor = epoll_create1(EPOLL_CLOEXEC);
    struct watcher listener = {connection_ready, NULL, listen_on(atoi(arguments[1]))};
    watch(&listener, EPOLLIN);
    for (;;) {
        struct epoll_event events[256];
        int ready = epoll_wait(events_descriptor, events, 256, milliseconds_until_carrier());
        for (int i = 0; i < ready; i++) {
            struct watcher *watcher = events[i].data.ptr;
            watcher->ready(watcher, events[i].events);
            run_carrier_timers(false);
        }
        run_carrier_timers(ready == 0);
        // Requests that came this far meanwhile share a commit.
        store_and_answer();
    }
}
