#ifndef GATEHOUSE_CPOSTGRES_SHIM_H
#define GATEHOUSE_CPOSTGRES_SHIM_H

#include <libpq-fe.h>

#endif
