#pragma once
#include <stdint.h>

/// How many blocks this process, all its threads and libraries, has asked the allocator for since it began.
uint64_t measurement_allocations(void);

/// Under callgrind, instructions are counted from here on.
void measurement_begin(void);

/// Under callgrind, writes what was counted since the beginning, under this name.
void measurement_end(const char *name);
