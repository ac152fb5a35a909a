#ifndef CSIMULATION_H
#define CSIMULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// The world that a seed makes: time, threads, queues, sockets and random bytes of this process, in an order that the
/// seed draws. What the process is linked to calls the functions of this library in the place of the system's.

/// Returns once for each world to be made, in a process of its own: with the words of this process, or, where the only
/// one is `-`, with those of each line of standard input, after whose end it prints `ended STATUS`.
void simulation_each_world(int count, char **words);
int simulation_word_count(void);
const char *simulation_word(int index);

/// Begins the world. The caller becomes its first thread; what it starts from now on belongs to it.
void simulation_begin(uint64_t seed);

/// Ends it. The caller is outside of it again, and what it has started never goes on.
void simulation_end(void);

/// The next number of the world's own, for what a plan draws.
uint64_t simulation_draw(void);

/// Nanoseconds since the first world of this process began.
int64_t simulation_now(void);

/// Lets so many nanoseconds go by.
void simulation_sleep(int64_t nanoseconds);

/// Lets others run until `*flag` is not 0.
void simulation_wait(const int32_t *flag);
/// The same until a moment at most, in the same nanoseconds. Returns: whether it is not 0.
bool simulation_wait_until(const int32_t *flag, int64_t deadline);

/// What has happened so far, as a number: the same for the same seed.
uint64_t simulation_hash(void);

/// How many times the world has chosen who runs next.
uint64_t simulation_steps(void);

/// Adds to what has happened.
void simulation_note(uint64_t value);

/// Whose the calling thread is; what it starts and opens is theirs too. 0 is nobody's.
int32_t simulation_owner(void);
void simulation_set_owner(int32_t owner);

/// Stops everything of an owner where it stands, as a machine that loses its power does: its connections are reset.
void simulation_kill(int32_t owner);

/// Has everything of an owner stand still, as a process that is stopped does, or go on. Its connections stay.
void simulation_pause(int32_t owner, bool is_paused);

/// Writes the wall clock to a place that another process reads, in nanoseconds since 1970, now and each time that it
/// moves on. The place must stay for good.
void simulation_show_time(int64_t *place);

/// Leaves what an owner sends, and what is sent to it, out of what has happened: another process may have chosen it.
void simulation_ignore_bytes(int32_t owner);

/// Sets the wall clock of an owner apart from the others', in nanoseconds.
void simulation_skew(int32_t owner, int64_t nanoseconds);

/// How networks behave from now on.
struct simulation_network {
    /// The least and the most that bytes take on their way, in nanoseconds.
    int64_t least_delay, most_delay;
    /// Of a million reads, and of a million writes, how many take only a part.
    uint32_t short_reads, short_writes;
    /// Of a million writes, how many reset the connection.
    uint32_t resets;
    /// Of a million writes of who has connected, how many are the last one, by who goes on listening; and of a million
    /// writes of either side, from how many on nothing arrives any more until the connection is given up.
    uint32_t half_closes, silences;
};
void simulation_set_network(struct simulation_network network);

/// Has the disk of a folder be one that forgets: what is written there and not synced may be gone after a crash.
void simulation_set_disk(const char *folder);

/// What the disk does wrong from now on.
struct simulation_disk {
    /// Of a million writes and syncs, how many fail with EIO, and with ENOSPC.
    uint32_t errors, full;
    /// How long a sync takes at most, in nanoseconds.
    int64_t longest_sync;
    /// Whether syncs do nothing, as those of some disks.
    bool lies;
};
void simulation_set_disk_faults(struct simulation_disk disk);

/// What a kill leaves on the disk: all that was written, or, where the power goes as well, each sector that was not
/// synced as it is, as it was, or torn.
void simulation_crash_disk(bool loses_power);

/// What comes of a call that was chosen.
enum simulation_fault { SIMULATION_FAILS, SIMULATION_FILLS, SIMULATION_LOSES_POWER, SIMULATION_LACKS_MEMORY };

/// Has the n-th call of an owner's to the disk, counted from now on, fail with EIO or ENOSPC, or be the last one before
/// the power goes for all; or has the n-th allocation of its SQLite fail. 0 lets all of them be.
void simulation_choose_call(int32_t owner, uint64_t n, enum simulation_fault fault);

/// How many calls, or allocations, the owner has made since one was chosen.
uint64_t simulation_calls(void);

/// Whether the power has gone at the chosen call.
bool simulation_has_crashed(void);

/// How many sectors crashes have lost or torn so far, and how many crashes have undone changes of folders.
uint64_t simulation_lost_sectors(void);
uint64_t simulation_lost_entries(void);

/// Runs SQL in a database that nobody else has open. Returns: whether all of it is done.
bool simulation_run_sql(const char *path, const char *sql);
/// The first text that a query finds, beside a server too; empty where it finds none.
void simulation_sql_text(const char *path, const char *sql, char *text, size_t size);

/// How many bytes this process has allocated, and how many sockets, watches and jobs an owner has.
size_t simulation_allocated(void);
size_t simulation_held(int32_t owner);

/// Has a shell begin a database server in a folder, by the world's clock: `clock` there holds it. Waits for its socket.
bool simulation_engine_begin(const char *folder, const char *command);
void simulation_engine_end(void);
/// Whether the server answers a query of ours with true.
bool simulation_engine_answers_yes(const char *query);
/// A socket that leads to the server itself; -1 where it takes none.
int simulation_engine_connect(void);
/// A socket of the world that listens, and one that has connected to it; -1 where there is none.
int simulation_engine_listen(uint16_t port);
int simulation_engine_accept(int listener);
bool simulation_engine_is_readable(int socket, int milliseconds);
bool simulation_engine_give(int socket, const void *bytes, size_t count);
/// Reads what is there, or comes within so many nanoseconds; 0 for whenever it comes.
ssize_t simulation_engine_take(int socket, void *buffer, size_t count, int64_t nanoseconds);

#endif
