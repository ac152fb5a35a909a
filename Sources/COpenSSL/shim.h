#ifndef GATEHOUSE_COPENSSL_SHIM_H
#define GATEHOUSE_COPENSSL_SHIM_H

#include <time.h>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Macros in OpenSSL that Swift can't see.
static inline long COpenSSL_BIO_get_mem_data(BIO *bio, char **data) { return BIO_get_mem_data(bio, data); }
static const int COpenSSL_EVP_PKEY_PUBLIC_KEY = EVP_PKEY_PUBLIC_KEY;

// A parameter points at its name and its value, which here live as long as the process.
static inline int COpenSSL_EVP_MAC_CTX_use_sha256(EVP_MAC_CTX *context) {
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA2-256", 0), OSSL_PARAM_construct_end()};
    return EVP_MAC_CTX_set_params(context, parameters);
}

// What a server's end of TLS is: versions, ciphers with an ephemeral key each, no renegotiation, and no session that
// could be resumed. Returns: whether OpenSSL takes all of it.
static inline int COpenSSL_SSL_CTX_serve(SSL_CTX *context) {
    SSL_CTX_set_mode(
        context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_options(
        context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET | SSL_OP_CIPHER_SERVER_PREFERENCE
                     | SSL_OP_PRIORITIZE_CHACHA | SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_read_ahead(context, 1);
    return SSL_CTX_set_num_tickets(context, 0) && SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION)
        && SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION)
        && SSL_CTX_set1_groups_list(context, "X25519:P-256:P-384")
        && SSL_CTX_set_cipher_list(
               context, "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-CHACHA20-POLY1305:"
                        "ECDHE-RSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384");
}

static inline int COpenSSL_SSL_CTX_add_chain(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

static inline void COpenSSL_SSL_CTX_choose_by_name(
    SSL_CTX *context, int (*choose)(SSL *, int *, void *), void *argument) {
    SSL_CTX_set_tlsext_servername_callback(context, choose);
    SSL_CTX_set_tlsext_servername_arg(context, argument);
}

// The name that the client asks for; NULL where it asks for none.
static inline const char *COpenSSL_SSL_name(const SSL *connection) {
    return SSL_get_servername(connection, TLSEXT_NAMETYPE_host_name);
}

// Chooses http/1.1; a client that offers others only is refused (RFC 7301 §3.2).
static inline int COpenSSL_choose_http(
    SSL *connection, const unsigned char **chosen, unsigned char *length, const unsigned char *offered,
    unsigned int offered_length, void *argument) {
    (void)connection, (void)argument;
    static const unsigned char ours[] = "\x08http/1.1";
    return SSL_select_next_proto(
               (unsigned char **)chosen, length, ours, sizeof ours - 1, offered, offered_length) == OPENSSL_NPN_NEGOTIATED
        ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}
static inline void COpenSSL_SSL_CTX_speak_http(SSL_CTX *context) {
    SSL_CTX_set_alpn_select_cb(context, COpenSSL_choose_http, NULL);
}

static inline void COpenSSL_SSL_CTX_ask_for_certificate(SSL_CTX *context) {
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
}

// Seconds since 1970; -1 for what is no time.
static inline long long COpenSSL_seconds(const ASN1_TIME *time) {
    struct tm parts;
    return ASN1_TIME_to_tm(time, &parts) ? (long long)timegm(&parts) : -1;
}

#endif
