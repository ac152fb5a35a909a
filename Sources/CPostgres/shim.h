#ifndef GATEHOUSE_CPOSTGRES_SHIM_H
#define GATEHOUSE_CPOSTGRES_SHIM_H

#include <libpq-fe.h>

#ifndef LIBPQ_HAS_PIPELINING
#error "libpq 14 or newer is needed: the one here has no pipeline mode"
#endif

// The diagnostic fields are macros of character literals, which come to Swift as numbers of different types.
static const int cpostgres_sqlstate = PG_DIAG_SQLSTATE;
static const int cpostgres_severity = PG_DIAG_SEVERITY_NONLOCALIZED;
static const int cpostgres_constraint = PG_DIAG_CONSTRAINT_NAME;

#endif
