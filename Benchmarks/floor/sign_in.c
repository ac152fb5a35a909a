#include "floor.h"
#include <sys/socket.h>
#include <unistd.h>

// Those whose answers have come and who wait for the next commit.
static struct sign_in *waiting[65536];
static size_t waiting_count;

static void answer(struct sign_in *sign_in, const char *body, size_t count) {
    char response[BODY_BYTES];
    int total = sprintf(
        response,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: no-store\r\nContent-Length: %zu\r\n\r\n%s",
        count, body);
    sign_in->received = 0;
    sign_in->is_under_way = false;
    if (sign_in->is_client_gone) {
        close(sign_in->descriptor);
        return;
    }
    send(sign_in->descriptor, response, (size_t)total, MSG_NOSIGNAL);
}

// An app's own ID token is verified, and nothing is asked of the carrier. What is used up is its signature, as the code
// is otherwise.
static bool take_id_token(struct sign_in *sign_in, const char *body) {
    char token[TOKEN_BYTES];
    if (!member(body, "id_token", token, sizeof token)) return false;
    verify_id_token(token, sign_in->subject);
    snprintf(sign_in->code, SMALL_TEXT, "%.*s", SMALL_TEXT - 1, token + strlen(token) - (SMALL_TEXT - 1));
    sign_in->is_under_way = true;
    waiting[waiting_count++] = sign_in;
    return true;
}

void read_request(struct sign_in *sign_in) {
    char *request = sign_in->request;
    size_t space = sizeof sign_in->request - 1 - sign_in->received;
    ssize_t count = recv(sign_in->descriptor, request + sign_in->received, space, 0);
    if (count <= 0) {
        // The number stays taken until the sign-in is over: the answer must not go to the next client who gets it.
        stop_watching(sign_in->descriptor);
        sign_in->is_client_gone = true;
        if (!sign_in->is_under_way) close(sign_in->descriptor);
        return;
    }
    sign_in->received += (size_t)count;
    request[sign_in->received] = 0;
    char *end = strstr(request, "\r\n\r\n");
    if (end == NULL) return;
    if (strncmp(request, "GET ", 4) == 0) return answer(sign_in, "{\"status\":\"ok\"}", 15);
    char *length = strcasestr(request, "content-length:");
    REQUIRE(length != NULL && length < end, "a request has a length");
    if (request + sign_in->received < end + 4 + atoi(length + 15)) return;
    if (take_id_token(sign_in, end)) return;
    REQUIRE(
        member(end, "code", sign_in->code, SMALL_TEXT) && member(end, "redirect_uri", sign_in->redirect_uri, SMALL_TEXT)
            && member(end, "code_verifier", sign_in->code_verifier, SMALL_TEXT),
        "a request has code, redirect_uri and code_verifier");
    sign_in->is_under_way = true;
    ask_for_token(sign_in);
}

void token_came(struct sign_in *sign_in, const char *body) {
    char token[TOKEN_BYTES];
    REQUIRE(
        member(body, "access_token", sign_in->access_token, SMALL_TEXT)
            && member(body, "id_token", token, sizeof token),
        "the carrier gives its tokens");
    verify_id_token(token, sign_in->subject);
    ask_for_userinfo(sign_in);
}

void userinfo_came(struct sign_in *sign_in, const char *body) {
    REQUIRE(strstr(body, sign_in->subject) != NULL, "the userinfo is the subject's");
    waiting[waiting_count++] = sign_in;
}

void store_and_answer(void) {
    if (waiting_count == 0) return;
    begin_commit();
    for (size_t i = 0; i < waiting_count; i++) store(waiting[i]);
    end_commit();
    for (size_t i = 0; i < waiting_count; i++) {
        char token[1024], refresh_token[64], body[2048];
        sign_access_token(waiting[i], token);
        base64url(waiting[i]->refresh_secret, sizeof waiting[i]->refresh_secret, refresh_token);
        int count = sprintf(
            body,
            "{\"token\":\"%s\",\"refresh_token\":\"%s\",\"token_type\":\"bearer\",\"expires\":900,"
            "\"user\":{\"user_id\":\"%ld\"}}",
            token, refresh_token, waiting[i]->user);
        answer(waiting[i], body, (size_t)count);
    }
    waiting_count = 0;
}
