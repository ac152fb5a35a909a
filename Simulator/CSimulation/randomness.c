#define _GNU_SOURCE
#include "internal.h"

#include <openssl/rand.h>
#include <stdarg.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

// Of OpenSSL, whose own calls for keys and nonces can't be taken otherwise.
static int fill(unsigned char *buffer, int count) {
    simulation_fill(buffer, (size_t)count);
    return 1;
}
static int is_seeded(void) { return 1; }

void simulation_take_randomness(void) {
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
    static const RAND_METHOD method = {.bytes = fill, .pseudorand = fill, .status = is_seeded};
    RAND_set_rand_method(&method);
#pragma clang diagnostic pop
}

ssize_t getrandom(void *buffer, size_t count, unsigned flags) {
    if (!simulation_self()) return REAL(getrandom)(buffer, count, flags);
    simulation_fill(buffer, count);
    return (ssize_t)count;
}

int getentropy(void *buffer, size_t count) {
    if (!simulation_self()) return REAL(getentropy)(buffer, count);
    simulation_fill(buffer, count);
    return 0;
}

// Swift's library asks the system without a function of its own. Everything else goes on as it was.
long syscall(long number, ...) {
    va_list arguments;
    va_start(arguments, number);
    long values[6];
    for (int i = 0; i < 6; i++) values[i] = va_arg(arguments, long);
    va_end(arguments);
    if (number == SYS_getrandom) return getrandom((void *)values[0], (size_t)values[1], (unsigned)values[2]);
    return REAL(syscall)(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}
