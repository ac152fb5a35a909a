#ifndef CZLIB_SHIM_H
#define CZLIB_SHIM_H

#include <zlib.h>

/// deflateInit2 is a macro, which Swift can't call. 15 + 16 window bits ask for the gzip format (RFC 1952).
static inline int czlib_gzip_init(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

/// The same for reading gzip, which refuses every other format.
static inline int czlib_gunzip_init(z_stream *stream) {
    return inflateInit2(stream, 15 + 16);
}

/// Reading gzip, or zlib's own format (RFC 1950): 32 asks for the one that the stream begins with.
static inline int czlib_inflate_init(z_stream *stream) {
    return inflateInit2(stream, 15 + 32);
}

#endif
