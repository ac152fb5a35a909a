// The floor under a sign-in: what it costs with the same libraries when nothing is checked but the signature.
//
// No limits, no deadlines, no errors, no other carrier, no port tokens, no sealing, one thread. A program to be
// measured against, never one to be run: any odd input ends or breaks it.
#pragma once
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(holds, sentence) \
    do { \
        if (!(holds)) { \
            fprintf(stderr, "floor: does not hold: %s\n", sentence); \
            exit(1); \
        } \
    } while (0)

enum { BODY_BYTES = 8192, TOKEN_BYTES = 4096, SMALL_TEXT = 256 };

struct carrier_side;

// One app's connection, and the sign-in that is under way on it.
struct sign_in {
    int descriptor;
    bool is_under_way, is_client_gone;
    char request[BODY_BYTES];
    size_t received;
    char code[SMALL_TEXT], redirect_uri[SMALL_TEXT], code_verifier[SMALL_TEXT];
    char access_token[SMALL_TEXT], subject[SMALL_TEXT];
    long user;
    unsigned char session[16], refresh_secret[32];
    struct carrier_side *carrier;
};

// What the loop calls when a descriptor is ready. It lives as long as the descriptor.
struct watcher {
    void (*ready)(struct watcher *, unsigned events);
    struct sign_in *sign_in;
    int descriptor;
};

// loop.c
void watch(struct watcher *, unsigned events);
void watch_again(struct watcher *, unsigned events);
void stop_watching(int descriptor);

// carrier.c: the two calls, each with an answer's body in the end
struct carrier_address {
    char host[SMALL_TEXT];
    int port;
    char basic[3 * SMALL_TEXT]; // the whole header field
};
extern struct carrier_address carrier_address;
void open_carrier(bool with_curl);
void join_carrier(struct sign_in *);
void ask_for_token(struct sign_in *);
void ask_for_userinfo(struct sign_in *);
int milliseconds_until_carrier(void);
void run_carrier_timers(bool is_due);
char *fetch_keys(void);

// sign_in.c
void read_request(struct sign_in *);
void token_came(struct sign_in *, const char *body);
void userinfo_came(struct sign_in *, const char *body);
void store_and_answer(void);

// tokens.c
void read_keys(const char *jwk_set);
size_t base64url(const unsigned char *bytes, size_t count, char *text);
void verify_id_token(const char *token, char *subject);
void sign_access_token(const struct sign_in *, char *token);

// store.c
void open_store(const char *path, const char *client, const char *issuer);
void begin_commit(void);
void store(struct sign_in *);
void end_commit(void);

// text.c
bool member(const char *json, const char *name, char *value, size_t capacity);
char *append_form(char *end, const char *name, const char *value);
