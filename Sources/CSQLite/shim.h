#ifndef GATEHOUSE_CSQLITE_SHIM_H
#define GATEHOUSE_CSQLITE_SHIM_H

#include <sqlite3.h>

// SQLITE_TRANSIENT and SQLITE_STATIC are casts that Swift can't import. Of transient bytes SQLite makes a copy before
// the call returns; bytes that are not must stay as they are until the binding is cleared.
static inline int csqlite_bind_text(
    sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 length, int transient) {
    return sqlite3_bind_text64(
        statement, index, text, length, transient ? SQLITE_TRANSIENT : SQLITE_STATIC, SQLITE_UTF8);
}

static inline int csqlite_bind_blob(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 length, int transient) {
    // A null pointer would bind NULL instead of no bytes.
    return length == 0
        ? sqlite3_bind_zeroblob(statement, index, 0)
        : sqlite3_bind_blob64(statement, index, bytes, length, transient ? SQLITE_TRANSIENT : SQLITE_STATIC);
}

// sqlite3_db_config is variadic. Defensive mode refuses writes to the schema tables and to shadow tables.
static inline int csqlite_set_defensive(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}

// The same. Whether the last connection to close copies the log into the database and removes it, if it is this one.
static inline int csqlite_set_checkpoint_on_close(sqlite3 *database, int is_on) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !is_on, (int *)0);
}

// sqlite3_config is variadic. Without the statistics nobody reads, SQLite's allocations take no process-wide lock.
// It must come before the first connection of the process.
static inline int csqlite_disable_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

#endif
