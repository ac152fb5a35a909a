#include "measurement.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>

// A few instructions without effect, unless the process runs under callgrind.
void measurement_begin(void) { CALLGRIND_ZERO_STATS; }
void measurement_end(const char *name) { CALLGRIND_DUMP_STATS_AT(name); }
#else
void measurement_begin(void) {}
void measurement_end(const char *name) { (void)name; }
#endif
