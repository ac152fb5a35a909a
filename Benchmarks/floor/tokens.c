#include "floor.h"
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include <time.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
static unsigned char values[256];
// Prepared once: that costs as much as a good part of the operation.
static EVP_PKEY_CTX *verifier, *signer;
static EVP_MD *sha256;
static char header[128];

size_t base64url(const unsigned char *bytes, size_t count, char *text) {
    char *end = text;
    for (size_t i = 0; i < count; i += 3) {
        unsigned group = bytes[i] << 16 | (i + 1 < count ? bytes[i + 1] << 8 : 0) | (i + 2 < count ? bytes[i + 2] : 0);
        *end++ = alphabet[group >> 18];
        *end++ = alphabet[group >> 12 & 63];
        if (i + 1 < count) *end++ = alphabet[group >> 6 & 63];
        if (i + 2 < count) *end++ = alphabet[group & 63];
    }
    *end = 0;
    return (size_t)(end - text);
}

static size_t from_base64url(const char *text, size_t count, unsigned char *bytes) {
    unsigned group = 0;
    int bits = 0;
    size_t made = 0;
    for (size_t i = 0; i < count; i++) {
        group = group << 6 | values[(unsigned char)text[i]];
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes[made++] = (unsigned char)(group >> bits);
    }
    return made;
}

void read_keys(const char *jwk_set) {
    for (int i = 0; i < 64; i++) values[(unsigned char)alphabet[i]] = (unsigned char)i;
    sha256 = EVP_MD_fetch(NULL, "SHA2-256", NULL);
    char text[1024];
    unsigned char modulus[512];
    REQUIRE(member(jwk_set, "n", text, sizeof text), "the carrier has one RSA key");
    size_t count = from_base64url(text, strlen(text), modulus);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, BN_bin2bn(modulus, (int)count, NULL));
    OSSL_PARAM_BLD_push_uint(builder, OSSL_PKEY_PARAM_RSA_E, 65537);
    EVP_PKEY_CTX *maker = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    EVP_PKEY_fromdata_init(maker);
    EVP_PKEY *key = NULL;
    int made = EVP_PKEY_fromdata(maker, &key, EVP_PKEY_PUBLIC_KEY, OSSL_PARAM_BLD_to_param(builder));
    REQUIRE(made == 1, "the carrier's key is one");
    verifier = EVP_PKEY_CTX_new(key, NULL);
    EVP_PKEY_verify_init(verifier);
    EVP_PKEY_CTX_set_rsa_padding(verifier, RSA_PKCS1_PADDING);
    EVP_PKEY_CTX_set_signature_md(verifier, sha256);
    signer = EVP_PKEY_CTX_new(EVP_EC_gen("P-256"), NULL);
    EVP_PKEY_sign_init(signer);
    EVP_PKEY_CTX_set_signature_md(signer, sha256);
    const char fields[] = "{\"alg\":\"ES256\",\"typ\":\"at+jwt\",\"kid\":\"floor\"}";
    base64url((const unsigned char *)fields, sizeof fields - 1, header);
}

void verify_id_token(const char *token, char *subject) {
    const char *payload = strchr(token, '.') + 1, *signature = strrchr(token, '.') + 1;
    unsigned char bytes[TOKEN_BYTES];
    size_t count = from_base64url(signature, strlen(signature), bytes);
    unsigned char digest[32];
    EVP_Digest(token, (size_t)(signature - 1 - token), digest, NULL, sha256, NULL);
    int verified = EVP_PKEY_verify(verifier, bytes, count, digest, sizeof digest);
    REQUIRE(verified == 1, "the ID token's signature is right");
    count = from_base64url(payload, (size_t)(signature - 1 - payload), bytes);
    bytes[count] = 0;
    REQUIRE(member((const char *)bytes, "sub", subject, SMALL_TEXT), "the ID token has a subject");
}

void sign_access_token(const struct sign_in *sign_in, char *token) {
    char claims[512], session[32];
    long now = time(NULL);
    base64url(sign_in->session, sizeof sign_in->session, session);
    int count = sprintf(
        claims, "{\"iss\":\"http://127.0.0.1\",\"sub\":\"%ld\",\"iat\":%ld,\"exp\":%ld,\"sid\":\"%s\"}", sign_in->user,
        now, now + 900, session);
    char *end = token + sprintf(token, "%s.", header);
    end += base64url((const unsigned char *)claims, (size_t)count, end);
    unsigned char digest[32], signature[80];
    size_t signature_count = sizeof signature;
    EVP_Digest(token, (size_t)(end - token), digest, NULL, sha256, NULL);
    REQUIRE(EVP_PKEY_sign(signer, signature, &signature_count, digest, sizeof digest) == 1, "a token can be signed");
    *end++ = '.';
    // As it came, in DER: taking it apart costs next to nothing.
    base64url(signature, 64, end);
}
