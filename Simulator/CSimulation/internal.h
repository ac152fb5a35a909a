#ifndef CSIMULATION_INTERNAL_H
#define CSIMULATION_INTERNAL_H

#include "CSimulation.h"

#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// The system's own.
#define REAL(name)                                               \
    (*({                                                         \
        static __typeof__(&name) found;                          \
        if (!found) found = (__typeof__(&name))simulation_real(#name); \
        found;                                                   \
    }))
void *simulation_real(const char *name);

enum state { READY, RUNNING, WAITING, ENDED };

/// A thread of the world. One of them runs, the others wait for their turn.
struct thread {
    struct thread *next;
    sem_t turn;
    uint64_t number;
    /// What the system calls it.
    pid_t id;
    int32_t owner;
    enum state state;
    /// Until when it waits at most.
    int64_t deadline;
    /// What it waits for besides; NULL for the time alone.
    bool (*is_met)(void *);
    void *condition;
    void *(*body)(void *);
    void *argument;
    /// What a thread of the pool runs, or waits for.
    struct job *job;
    bool is_pool;
};

/// Something that a queue, or Swift's own executor, is to run.
struct job {
    struct job *next;
    uint64_t number;
    int32_t owner;
    int64_t ready_at;
    /// The queue that it belongs to, of whose jobs one runs at a time; NULL for Swift's executor.
    void *queue;
    void (*run)(void *);
    void *context;
};

/// The calling thread; NULL for one that is not of the world, and before it begins.
struct thread *simulation_self(void);

/// Waits until the condition is met or the time has come; lets others run.
///
/// Returns: whether it is met.
bool simulation_wait_for(bool (*is_met)(void *), void *condition, int64_t deadline);

/// Gives others a turn.
void simulation_yield(void);

void simulation_add_job(void *queue, int64_t delay, void (*run)(void *), void *context);

/// A number below `bound`, of the world's own.
uint64_t simulation_below(uint64_t bound);
/// Whether something happens that does so many times in a million.
bool simulation_happens(uint32_t in_a_million);

/// Fills with bytes that the seed draws.
void simulation_fill(void *buffer, size_t count);

/// Has the calling thread draw from another stream, which is the same in all worlds, and from the world's again.
void simulation_begin_stream(uint64_t seed);
void simulation_end_stream(void);

int64_t simulation_skew_of(int32_t owner);
bool simulation_is_dead(int32_t owner);

void simulation_close_all(int32_t owner);
size_t simulation_sockets(int32_t owner);
/// What the disk wants to know of calls that sockets have too.
void simulation_file_closes(int descriptor);
/// Returns: 0, or the error that the write meets.
int simulation_file_writes(int descriptor, int64_t offset, size_t count);
void simulation_close_files(int32_t owner);
void simulation_file_is_gone(const char *path);
void simulation_file_has_moved(const char *from, const char *to);

void simulation_folder_keeps(const char *path, char *kept, size_t size);
void simulation_folder_made(const char *path);
void simulation_folder_removed(const char *path, const char *kept);
void simulation_folder_renamed(const char *from, const char *to, const char *kept);
void simulation_folder_synced(const char *folder);
bool simulation_folder_crashes(void);
void simulation_folder_forget(void);
/// What a world's end leaves of its disk is nobody's.
void simulation_forget_disk(void);

/// Stops everything of all owners.
void simulation_kill_all(void);
/// Whether an allocation of SQLite's is the one that fails.
bool simulation_memory_is_refused(void);

void simulation_take_memory(void);
void simulation_take_randomness(void);
/// Has a world begin with the first key.
void simulation_prepare_keys(void);
void simulation_take_queues(void);

#define NEVER INT64_MAX

/// 2026-01-01T00:00:00Z, when every world begins, in nanoseconds since 1970.
static const int64_t simulation_beginning = 1767225600 * 1000000000LL;

#endif
