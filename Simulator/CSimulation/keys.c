#define _GNU_SOURCE
#include "internal.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

// An RSA key takes a tenth of a second to make, and the carriers have a dozen. So the n-th one is the same in all
// worlds, and is kept beside other temporary files from one to the next.

static uint64_t count;

// Those that every world has, which the process that worlds are made of has read before the first of them.
#define READY 12
#define BITS 2048
static EVP_PKEY *ready[READY];

static void place(char *path, size_t size, const char *ending) {
    const char *folder = getenv("TMPDIR");
    char name[256];
    snprintf(name, sizeof name, "%s/gatehouse-simulation-keys-%u", folder ? folder : "/tmp", getuid());
    mkdir(name, 0700);
    snprintf(path, size, "%s/%llu%s", name, (unsigned long long)count, ending);
}

static EVP_PKEY *kept(const char *path) {
    unsigned char bytes[8192];
    const unsigned char *next = bytes;
    int file = REAL(open)(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) return NULL;
    ssize_t length = REAL(read)(file, bytes, sizeof bytes);
    REAL(close)(file);
    return length > 0 ? d2i_AutoPrivateKey(NULL, &next, length) : NULL;
}

static void keep(EVP_PKEY *key, const char *path) {
    unsigned char *bytes = NULL;
    char draft[320], ending[32];
    snprintf(ending, sizeof ending, ".%d", getpid());
    place(draft, sizeof draft, ending);
    int length = i2d_PrivateKey(key, &bytes);
    if (length <= 0) return;
    int file = REAL(open)(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    // A key that can't be kept is made again.
    if (file >= 0 && REAL(write)(file, bytes, (size_t)length) == length) REAL(rename)(draft, path);
    if (file >= 0) REAL(close)(file);
    OPENSSL_free(bytes);
}

/// The next one.
static int make(EVP_PKEY_CTX *context, EVP_PKEY **key) {
    char path[320];
    count++;
    place(path, sizeof path, ".der");
    if ((*key = kept(path))) return 1;
    simulation_begin_stream(count);
    int result = REAL(EVP_PKEY_generate)(context, key);
    simulation_end_stream();
    if (result == 1) keep(*key, path);
    return result;
}

int EVP_PKEY_generate(EVP_PKEY_CTX *context, EVP_PKEY **key) {
    if (!simulation_self() || !EVP_PKEY_CTX_is_a(context, "RSA")) return REAL(EVP_PKEY_generate)(context, key);
    if (count >= READY || !ready[count]) return make(context, key);
    *key = ready[count++];
    return EVP_PKEY_up_ref(*key);
}

/// What a key works out when it first signs stays with it.
static void sign_once(EVP_PKEY *key) {
    unsigned char digest[32] = {0}, signature[1024];
    size_t length = sizeof signature;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
    if (context && EVP_PKEY_sign_init(context) == 1) {
        EVP_PKEY_CTX_set_signature_md(context, EVP_sha256());
        EVP_PKEY_sign(context, signature, &length, digest, sizeof digest);
    }
    EVP_PKEY_CTX_free(context);
}

void simulation_prepare_keys(void) {
    count = 0;
    if (ready[0]) return;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    if (context && EVP_PKEY_keygen_init(context) == 1 && EVP_PKEY_CTX_set_rsa_keygen_bits(context, BITS) == 1) {
        while (count < READY && make(context, &ready[count]) == 1) sign_once(ready[count - 1]);
    }
    EVP_PKEY_CTX_free(context);
    count = 0;
}
