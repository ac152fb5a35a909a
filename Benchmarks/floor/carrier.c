// The carrier over libcurl, as the service calls it, or over bare sockets: one connection for each of the app's, one
// answer a read.
#include "floor.h"
#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

struct carrier_side {
    struct watcher watcher; // over sockets
    CURL *transfer; // over libcurl
    struct curl_slist *fields;
    char body[BODY_BYTES];
    size_t count;
    bool awaits_token;
};

struct carrier_address carrier_address;
static bool uses_curl;
static CURLM *transfers;
static long milliseconds = -1;
static char token_url[2 * SMALL_TEXT], userinfo_url[2 * SMALL_TEXT];

static void answer_came(struct sign_in *sign_in, const char *body) {
    if (sign_in->carrier->awaits_token) token_came(sign_in, body);
    else userinfo_came(sign_in, body);
}

// MARK: libcurl

static size_t take_body(char *bytes, size_t size, size_t count, void *side) {
    struct carrier_side *carrier = side;
    REQUIRE(carrier->count + size * count < BODY_BYTES, "an answer is short");
    memcpy(carrier->body + carrier->count, bytes, size * count);
    carrier->count += size * count;
    return size * count;
}

static void finish_transfers(void) {
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(transfers, &left)) != NULL) {
        REQUIRE(message->msg == CURLMSG_DONE && message->data.result == CURLE_OK, "a transfer succeeds");
        struct sign_in *sign_in;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &sign_in);
        curl_multi_remove_handle(transfers, message->easy_handle);
        sign_in->carrier->body[sign_in->carrier->count] = 0;
        answer_came(sign_in, sign_in->carrier->body);
    }
}

static void transfer_ready(struct watcher *watcher, unsigned events) {
    int running;
    int mask = (events & EPOLLOUT ? CURL_CSELECT_OUT : 0) | (events & ~EPOLLOUT ? CURL_CSELECT_IN : 0);
    curl_multi_socket_action(transfers, watcher->descriptor, mask, &running);
    finish_transfers();
}

// A connection stays registered when curl loses interest: that saves two calls a request.
static int watch_socket(CURL *transfer, curl_socket_t descriptor, int what, void *user, void *socket) {
    static struct {
        struct watcher watcher;
        unsigned events;
    } sockets[65536];
    (void)transfer, (void)user, (void)socket;
    if (what == CURL_POLL_REMOVE) return 0;
    unsigned events = (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0);
    if (sockets[descriptor].events == events) return 0;
    bool is_new = sockets[descriptor].events == 0;
    sockets[descriptor].events = events;
    sockets[descriptor].watcher = (struct watcher){transfer_ready, NULL, descriptor};
    if (is_new) watch(&sockets[descriptor].watcher, events);
    else watch_again(&sockets[descriptor].watcher, events);
    return 0;
}

static int set_timer(CURLM *multi, long timeout, void *user) {
    (void)multi, (void)user;
    milliseconds = timeout;
    return 0;
}

int milliseconds_until_carrier(void) { return (int)milliseconds; }

void run_carrier_timers(bool is_due) {
    int running;
    if (is_due && milliseconds > 0) milliseconds = 0;
    while (milliseconds == 0) {
        milliseconds = -1;
        curl_multi_socket_action(transfers, CURL_SOCKET_TIMEOUT, 0, &running);
        finish_transfers();
    }
}

static void start_transfer(struct carrier_side *carrier, const char *url, const char *field) {
    curl_slist_free_all(carrier->fields);
    carrier->fields = curl_slist_append(NULL, field);
    carrier->count = 0;
    curl_easy_setopt(carrier->transfer, CURLOPT_URL, url);
    curl_easy_setopt(carrier->transfer, CURLOPT_HTTPHEADER, carrier->fields);
    curl_multi_add_handle(transfers, carrier->transfer);
}

// MARK: sockets

static void answer_ready(struct watcher *watcher, unsigned events) {
    (void)events;
    char response[BODY_BYTES];
    ssize_t count = recv(watcher->descriptor, response, sizeof response - 1, 0);
    REQUIRE(count > 0, "the carrier keeps its connections");
    response[count] = 0;
    char *body = strstr(response, "\r\n\r\n");
    REQUIRE(body != NULL, "an answer comes in one piece");
    answer_came(watcher->sign_in, body);
}

static int connect_to_carrier(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)carrier_address.port)};
    inet_pton(AF_INET, carrier_address.host, &address.sin_addr);
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    int connected = connect(descriptor, (struct sockaddr *)&address, sizeof address);
    REQUIRE(connected == 0, "the carrier is there");
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return descriptor;
}

// MARK: both

void open_carrier(bool with_curl) {
    uses_curl = with_curl;
    sprintf(token_url, "http://%s:%d/token", carrier_address.host, carrier_address.port);
    sprintf(userinfo_url, "http://%s:%d/userinfo", carrier_address.host, carrier_address.port);
    curl_global_init(CURL_GLOBAL_ALL);
    transfers = curl_multi_init();
    curl_multi_setopt(transfers, CURLMOPT_SOCKETFUNCTION, watch_socket);
    curl_multi_setopt(transfers, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(transfers, CURLMOPT_MAXCONNECTS, 5000L);
}

void join_carrier(struct sign_in *sign_in) {
    struct carrier_side *carrier = calloc(1, sizeof *carrier);
    REQUIRE(carrier != NULL, "there is memory");
    sign_in->carrier = carrier;
    if (!uses_curl) {
        carrier->watcher = (struct watcher){answer_ready, sign_in, connect_to_carrier()};
        return watch(&carrier->watcher, EPOLLIN);
    }
    carrier->transfer = curl_easy_init();
    curl_easy_setopt(carrier->transfer, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(carrier->transfer, CURLOPT_PROXY, "");
    curl_easy_setopt(carrier->transfer, CURLOPT_PRIVATE, sign_in);
    curl_easy_setopt(carrier->transfer, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(carrier->transfer, CURLOPT_WRITEDATA, carrier);
}

void ask_for_token(struct sign_in *sign_in) {
    char form[BODY_BYTES], *end = append_form(form, "grant_type", "authorization_code");
    *end++ = '&';
    end = append_form(end, "code", sign_in->code);
    *end++ = '&';
    end = append_form(end, "redirect_uri", sign_in->redirect_uri);
    *end++ = '&';
    end = append_form(end, "code_verifier", sign_in->code_verifier);
    sign_in->carrier->awaits_token = true;
    if (uses_curl) {
        curl_easy_setopt(sign_in->carrier->transfer, CURLOPT_COPYPOSTFIELDS, form);
        return start_transfer(sign_in->carrier, token_url, carrier_address.basic);
    }
    char request[2 * BODY_BYTES];
    int count = sprintf(
        request,
        "POST /token HTTP/1.1\r\nHost: %s:%d\r\n%s\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        "Content-Length: %zu\r\n\r\n%s",
        carrier_address.host, carrier_address.port, carrier_address.basic, (size_t)(end - form), form);
    send(sign_in->carrier->watcher.descriptor, request, (size_t)count, MSG_NOSIGNAL);
}

void ask_for_userinfo(struct sign_in *sign_in) {
    char field[2 * SMALL_TEXT], request[BODY_BYTES];
    sprintf(field, "Authorization: Bearer %s", sign_in->access_token);
    sign_in->carrier->awaits_token = false;
    if (uses_curl) {
        curl_easy_setopt(sign_in->carrier->transfer, CURLOPT_HTTPGET, 1L);
        return start_transfer(sign_in->carrier, userinfo_url, field);
    }
    int count = sprintf(
        request, "GET /userinfo HTTP/1.1\r\nHost: %s:%d\r\n%s\r\n\r\n", carrier_address.host, carrier_address.port,
        field);
    send(sign_in->carrier->watcher.descriptor, request, (size_t)count, MSG_NOSIGNAL);
}

static size_t collect(char *bytes, size_t size, size_t count, void *text) {
    strncat(text, bytes, size * count);
    return size * count;
}

char *fetch_keys(void) {
    static char keys[BODY_BYTES];
    char url[2 * SMALL_TEXT];
    sprintf(url, "http://%s:%d/jwks", carrier_address.host, carrier_address.port);
    CURL *transfer = curl_easy_init();
    curl_easy_setopt(transfer, CURLOPT_URL, url);
    curl_easy_setopt(transfer, CURLOPT_WRITEFUNCTION, collect);
    curl_easy_setopt(transfer, CURLOPT_WRITEDATA, keys);
    REQUIRE(curl_easy_perform(transfer) == CURLE_OK, "the carrier publishes its keys");
    curl_easy_cleanup(transfer);
    return keys;
}
