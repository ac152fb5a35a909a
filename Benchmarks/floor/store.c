#include "floor.h"
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <sqlite3.h>
#include <time.h>

static sqlite3 *database;
static const char *client, *issuer;
static EVP_MD *sha256;
static sqlite3_stmt *begin, *commit, *insert_code, *find, *touch, *insert_user, *insert_identity, *insert_session;

static void execute(const char *sql) { REQUIRE(sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK, sql); }

static sqlite3_stmt *prepare(const char *sql) {
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
    REQUIRE(code == SQLITE_OK, sql);
    return statement;
}

void open_store(const char *path, const char *client_id, const char *carrier) {
    client = client_id;
    issuer = carrier;
    sha256 = EVP_MD_fetch(NULL, "SHA2-256", NULL);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    REQUIRE(sqlite3_open_v2(path, &database, flags, NULL) == SQLITE_OK, "the store can be opened");
    execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -8192");
    execute(
        "CREATE TABLE users (id INTEGER PRIMARY KEY AUTOINCREMENT, reference TEXT NOT NULL, created INTEGER NOT NULL)"
        " STRICT;"
        "CREATE TABLE identities (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL, issuer TEXT NOT NULL,"
        " subject TEXT NOT NULL, last_sign_in INTEGER NOT NULL, UNIQUE (subject, issuer)) STRICT;"
        "CREATE INDEX identities_user ON identities (user_id);"
        "CREATE TABLE sessions (id BLOB PRIMARY KEY, user_id INTEGER NOT NULL, refresh_hash BLOB NOT NULL,"
        " expires INTEGER NOT NULL, created INTEGER NOT NULL, client TEXT NOT NULL) STRICT, WITHOUT ROWID;"
        "CREATE INDEX sessions_user ON sessions (user_id);"
        "CREATE INDEX sessions_expires ON sessions (expires);"
        "CREATE TABLE used_codes (expires INTEGER NOT NULL, hash BLOB NOT NULL, PRIMARY KEY (expires, hash)) STRICT,"
        " WITHOUT ROWID");
    begin = prepare("BEGIN IMMEDIATE");
    commit = prepare("COMMIT");
    insert_code = prepare("INSERT INTO used_codes VALUES (?, ?)");
    find = prepare("SELECT id, user_id FROM identities WHERE subject = ? AND issuer = ?");
    touch = prepare("UPDATE identities SET last_sign_in = ? WHERE id = ?");
    insert_user = prepare("INSERT INTO users (reference, created) VALUES (?, ?)");
    insert_identity =
        prepare("INSERT INTO identities (user_id, issuer, subject, last_sign_in) VALUES (?, ?, ?, ?)");
    insert_session = prepare("INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?)");
}

static void run(sqlite3_stmt *statement) {
    REQUIRE(sqlite3_step(statement) == SQLITE_DONE, sqlite3_sql(statement));
    sqlite3_reset(statement);
}

static void bind_text(sqlite3_stmt *statement, int index, const char *text) {
    sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
}

static void bind_hash(sqlite3_stmt *statement, int index, const void *bytes, size_t count, unsigned char hash[32]) {
    EVP_Digest(bytes, count, hash, NULL, sha256, NULL);
    sqlite3_bind_blob(statement, index, hash, 32, SQLITE_STATIC);
}

void begin_commit(void) { run(begin); }
void end_commit(void) { run(commit); }

static void find_user(struct sign_in *sign_in, long now) {
    bind_text(find, 1, sign_in->subject);
    bind_text(find, 2, issuer);
    bool is_known = sqlite3_step(find) == SQLITE_ROW;
    long identity = is_known ? sqlite3_column_int64(find, 0) : 0;
    if (is_known) sign_in->user = sqlite3_column_int64(find, 1);
    sqlite3_reset(find);
    if (is_known) {
        sqlite3_bind_int64(touch, 1, now);
        sqlite3_bind_int64(touch, 2, identity);
        run(touch);
        return;
    }
    bind_text(insert_user, 1, sign_in->subject);
    sqlite3_bind_int64(insert_user, 2, now);
    run(insert_user);
    sign_in->user = sqlite3_last_insert_rowid(database);
    sqlite3_bind_int64(insert_identity, 1, sign_in->user);
    bind_text(insert_identity, 2, issuer);
    bind_text(insert_identity, 3, sign_in->subject);
    sqlite3_bind_int64(insert_identity, 4, now);
    run(insert_identity);
}

void store(struct sign_in *sign_in) {
    unsigned char hash[32], random[44];
    long now = time(NULL);
    sqlite3_bind_int64(insert_code, 1, now + 1200);
    bind_hash(insert_code, 2, sign_in->code, strlen(sign_in->code), hash);
    run(insert_code);
    find_user(sign_in, now);
    // The time first, so that sessions made together lie together.
    RAND_bytes(random, sizeof random);
    for (int i = 0; i < 4; i++) sign_in->session[i] = (unsigned char)(now >> (24 - 8 * i));
    memcpy(sign_in->session + 4, random, 12);
    memcpy(sign_in->refresh_secret, random + 12, 32);
    sqlite3_bind_blob(insert_session, 1, sign_in->session, sizeof sign_in->session, SQLITE_STATIC);
    sqlite3_bind_int64(insert_session, 2, sign_in->user);
    bind_hash(insert_session, 3, sign_in->refresh_secret, sizeof sign_in->refresh_secret, hash);
    sqlite3_bind_int64(insert_session, 4, now + 90 * 86400);
    sqlite3_bind_int64(insert_session, 5, now);
    bind_text(insert_session, 6, client);
    run(insert_session);
}
