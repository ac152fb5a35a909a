#define _GNU_SOURCE
#include "internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#define OWNERS 4096

static struct {
    bool is_on;
    int64_t now;
    int32_t last_owner;
    uint64_t draws, randomness, hash, steps, numbers;
    struct thread *threads;
    struct job *jobs, **last_job;
    int64_t skews[OWNERS];
    bool is_dead[OWNERS], is_paused[OWNERS];
    /// Where another process reads what time it is; NULL where none does.
    volatile int64_t *shown;
} world;

static __thread struct thread *self;

struct thread *simulation_self(void) {
    return world.is_on ? self : NULL;
}

void *simulation_real(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        fprintf(stderr, "the system has no %s\n", name);
        abort();
    }
    return found;
}

// Swift's dictionaries take their order from a seed, and from addresses what is compared by them. Both must be the same
// in each process, which only an environment and a personality from before its start can do.
__attribute__((constructor)) static void begin_alike(int count, char **arguments) {
    (void)count;
    if (getenv("SWIFT_DETERMINISTIC_HASHING")) return;
    int persona = personality(0xFFFFFFFF);
    if (persona == -1 || personality((unsigned long)persona | ADDR_NO_RANDOMIZE) == -1) return;
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1);
    // What is allocated where must not hang on the thread.
    setenv("MALLOC_ARENA_MAX", "1", 1);
    // What is looked up once need not be by each world.
    setenv("LD_BIND_NOW", "1", 1);
    execv("/proc/self/exe", arguments);
}

// SplitMix64, by Steele, Lea and Flood.
static uint64_t next(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

uint64_t simulation_draw(void) { return next(&world.draws); }

uint64_t simulation_below(uint64_t bound) { return bound < 2 ? 0 : next(&world.draws) % bound; }

bool simulation_happens(uint32_t in_a_million) { return in_a_million && simulation_below(1000000) < in_a_million; }

static __thread uint64_t stream;
static __thread bool has_stream;

void simulation_begin_stream(uint64_t seed) {
    stream = seed;
    has_stream = true;
}
void simulation_end_stream(void) { has_stream = false; }

void simulation_fill(void *buffer, size_t count) {
    unsigned char *bytes = buffer;
    while (count > 0) {
        uint64_t value = next(has_stream ? &stream : &world.randomness);
        size_t part = count < 8 ? count : 8;
        memcpy(bytes, &value, part);
        bytes += part;
        count -= part;
    }
}

void simulation_note(uint64_t value) { world.hash = (world.hash ^ value) * 0x100000001B3 + (world.hash >> 32); }

uint64_t simulation_hash(void) { return world.hash; }
uint64_t simulation_steps(void) { return world.steps; }
int64_t simulation_now(void) { return world.now; }

int32_t simulation_owner(void) { return simulation_self() ? self->owner : 0; }
void simulation_set_owner(int32_t owner) {
    if (!simulation_self()) return;
    self->owner = owner;
    if (owner > world.last_owner) world.last_owner = owner;
}
void simulation_skew(int32_t owner, int64_t nanoseconds) { world.skews[owner % OWNERS] = nanoseconds; }
int64_t simulation_skew_of(int32_t owner) { return world.skews[owner % OWNERS]; }
bool simulation_is_dead(int32_t owner) { return world.is_dead[owner % OWNERS]; }
void simulation_pause(int32_t owner, bool is_paused) { world.is_paused[owner % OWNERS] = is_paused; }

static bool stands_still(int32_t owner) { return world.is_dead[owner % OWNERS] || world.is_paused[owner % OWNERS]; }

void simulation_show_time(int64_t *place) {
    world.shown = place;
    *world.shown = simulation_beginning + world.now;
}

void simulation_kill(int32_t owner) {
    world.is_dead[owner % OWNERS] = true;
    simulation_close_all(owner);
    simulation_close_files(owner);
}

void simulation_kill_all(void) {
    for (int32_t owner = 1; owner <= world.last_owner; owner++)
        if (!simulation_is_dead(owner)) simulation_kill(owner);
}

static struct thread *make_thread(void) {
    struct thread *thread = calloc(1, sizeof *thread);
    if (!thread) abort();
    thread->number = ++world.numbers;
    thread->deadline = NEVER;
    sem_init(&thread->turn, 0, 0);
    thread->next = world.threads;
    world.threads = thread;
    return thread;
}

static void forget(struct thread *thread) {
    for (struct thread **place = &world.threads; *place; place = &(*place)->next) {
        if (*place != thread) continue;
        *place = thread->next;
        return;
    }
}

void simulation_begin(uint64_t seed) {
    world.draws = seed;
    world.randomness = seed ^ 0x5851F42D4C957F2D;
    world.last_job = &world.jobs;
    world.hash = world.steps = world.numbers = 0;
    world.last_owner = 0;
    simulation_take_randomness();
    simulation_prepare_keys();
    simulation_take_queues();
    simulation_take_memory();
    self = make_thread();
    self->id = gettid();
    self->state = RUNNING;
    world.is_on = true;
}

// Time goes on from one world to the next: what a process has noted of it must not lie ahead.
void simulation_end(void) {
    world.is_on = false;
    world.threads = NULL;
    world.jobs = NULL;
    simulation_forget_disk();
}

// MARK: Who runs next

static bool is_busy(void *queue) {
    if (!queue) return false;
    for (struct thread *thread = world.threads; thread; thread = thread->next) {
        if (thread->job && thread->job->queue == queue && !simulation_is_dead(thread->owner)) return true;
    }
    return false;
}

/// Whether a job may begin: its time has come, and no other of its queue runs or stands before it.
static bool may_begin(struct job *job) {
    if (job->ready_at > world.now || stands_still(job->owner) || is_busy(job->queue)) return false;
    if (!job->queue) return true;
    for (struct job *other = world.jobs; other != job; other = other->next) {
        if (other->queue == job->queue && other->ready_at <= job->ready_at) return false;
    }
    return true;
}

static void drop_dead_jobs(void) {
    for (struct job **place = &world.jobs; *place;) {
        struct job *job = *place;
        if (simulation_is_dead(job->owner)) {
            *place = job->next;
            free(job);
        } else {
            place = &job->next;
        }
    }
    world.last_job = &world.jobs;
    while (*world.last_job) world.last_job = &(*world.last_job)->next;
}

static void take(struct job *job) {
    for (struct job **place = &world.jobs; *place; place = &(*place)->next) {
        if (*place != job) continue;
        *place = job->next;
        if (!*place) world.last_job = place;
        return;
    }
}

static void *run_jobs(void *unused) {
    (void)unused;
    while (true) {
        struct job *job = self->job;
        self->owner = job->owner;
        job->run(job->context);
        self->job = NULL;
        self->owner = 0;
        free(job);
        simulation_wait_for(NULL, NULL, NEVER);
    }
    return NULL;
}

static int start(struct thread *thread);

/// A thread of the pool that has nothing to do.
static struct thread *idle(void) {
    for (struct thread *thread = world.threads; thread; thread = thread->next) {
        if (thread->is_pool && !thread->job && thread->state == WAITING) return thread;
    }
    struct thread *thread = make_thread();
    thread->is_pool = true;
    thread->body = run_jobs;
    thread->state = WAITING;
    if (start(thread)) abort();
    return thread;
}

static bool is_ready(struct thread *thread) {
    if (stands_still(thread->owner)) return false;
    if (thread->state == READY) return true;
    if (thread->state != WAITING || (thread->is_pool && !thread->job)) return false;
    return thread->deadline <= world.now || (thread->is_met && thread->is_met(thread->condition));
}

int64_t simulation_next_delivery(void);

static int64_t next_moment(void) {
    int64_t moment = simulation_next_delivery();
    for (struct thread *thread = world.threads; thread; thread = thread->next) {
        if (thread->state == WAITING && !stands_still(thread->owner) && thread->deadline < moment
            && !(thread->is_pool && !thread->job)) moment = thread->deadline;
    }
    for (struct job *job = world.jobs; job; job = job->next) {
        if (job->ready_at > world.now && !stands_still(job->owner) && job->ready_at < moment) moment = job->ready_at;
    }
    return moment;
}

/// Chooses who runs next, and moves time on where nobody can.
static struct thread *choose(void) {
    drop_dead_jobs();
    while (true) {
        struct thread *chosen_thread = NULL;
        struct job *chosen_job = NULL;
        uint64_t count = 0;
        // Each with the same chance, without a list of them.
        for (struct thread *thread = world.threads; thread; thread = thread->next) {
            if (is_ready(thread) && simulation_below(++count) == 0) chosen_thread = thread;
        }
        for (struct job *job = world.jobs; job; job = job->next) {
            if (may_begin(job) && simulation_below(++count) == 0) chosen_job = job;
        }
        if (count > 0) {
            world.steps++;
            simulation_note((uint64_t)world.now);
            if (!chosen_job) {
                simulation_note(chosen_thread->number);
                return chosen_thread;
            }
            simulation_note(chosen_job->number << 32);
            take(chosen_job);
            struct thread *thread = idle();
            thread->job = chosen_job;
            thread->owner = chosen_job->owner;
            return thread;
        }
        int64_t moment = next_moment();
        if (moment == NEVER) {
            fprintf(stderr, "everything waits for something else, and nothing is on its way\n");
            abort();
        }
        world.now = moment;
        if (world.shown) *world.shown = simulation_beginning + moment;
    }
}

/// Gives the turn to the one that is chosen, and takes it back when it is given back.
static void pass(void) {
    struct thread *me = self, *other = choose();
    if (other != me) {
        sem_post(&other->turn);
        if (me->state == ENDED) return;
        while (sem_wait(&me->turn)) {}
    }
    me->state = RUNNING;
}

bool simulation_wait_for(bool (*is_met)(void *), void *condition, int64_t deadline) {
    self->state = WAITING;
    self->deadline = deadline;
    self->is_met = is_met;
    self->condition = condition;
    pass();
    self->is_met = NULL;
    self->deadline = NEVER;
    return is_met && is_met(condition);
}

void simulation_yield(void) {
    self->state = READY;
    pass();
}

void simulation_sleep(int64_t nanoseconds) { simulation_wait_for(NULL, NULL, world.now + nanoseconds); }

static bool is_set(void *flag) { return __atomic_load_n((int32_t *)flag, __ATOMIC_ACQUIRE) != 0; }
void simulation_wait(const int32_t *flag) { simulation_wait_for(is_set, (void *)flag, NEVER); }
bool simulation_wait_until(const int32_t *flag, int64_t deadline) {
    return simulation_wait_for(is_set, (void *)flag, deadline);
}

void simulation_add_job(void *queue, int64_t delay, void (*run)(void *), void *context) {
    struct job *job = calloc(1, sizeof *job);
    if (!job) abort();
    job->number = ++world.numbers;
    job->owner = self->owner;
    job->ready_at = delay > NEVER - world.now ? NEVER - 1 : world.now + (delay > 0 ? delay : 0);
    job->queue = queue;
    job->run = run;
    job->context = context;
    *world.last_job = job;
    world.last_job = &job->next;
}

size_t simulation_held(int32_t owner) {
    size_t count = simulation_sockets(owner);
    for (struct job *job = world.jobs; job; job = job->next) count += job->owner == owner;
    for (struct thread *thread = world.threads; thread; thread = thread->next) count += thread->owner == owner;
    return count;
}

// MARK: Threads

static void *begin(void *argument) {
    self = argument;
    self->id = gettid();
    while (sem_wait(&self->turn)) {}
    self->state = RUNNING;
    void *result = self->body(self->argument);
    self->state = ENDED;
    forget(self);
    pass();
    return result;
}

static int start(struct thread *thread) {
    pthread_t id;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int error = REAL(pthread_create)(&id, &attributes, begin, thread);
    pthread_attr_destroy(&attributes);
    return error;
}

int pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    if (!simulation_self()) return REAL(pthread_create)(id, attributes, body, argument);
    struct thread *thread = make_thread();
    thread->owner = self->owner;
    thread->body = body;
    thread->argument = argument;
    thread->state = READY;
    return REAL(pthread_create)(id, attributes, begin, thread);
}

// MARK: Locks

static bool is_of_dead(pid_t id) {
    for (struct thread *thread = world.threads; thread; thread = thread->next)
        if (thread->id == id && simulation_is_dead(thread->owner)) return true;
    return false;
}

// Only one thread runs, so a lock is taken by another only where that one waits, or was killed. On a machine of its own
// the lock would have gone with it, so it is taken from the dead.
int pthread_mutex_lock(pthread_mutex_t *mutex) {
    static int (*try_lock)(pthread_mutex_t *), (*lock)(pthread_mutex_t *);
    if (!try_lock) {
        lock = (int (*)(pthread_mutex_t *))simulation_real("pthread_mutex_lock");
        try_lock = (int (*)(pthread_mutex_t *))simulation_real("pthread_mutex_trylock");
    }
    if (!simulation_self()) return lock(mutex);
    while (true) {
        int error = try_lock(mutex);
        if (error != EBUSY) return error;
        if (is_of_dead(mutex->__data.__owner)) {
            mutex->__data.__lock = 0;
            mutex->__data.__owner = 0;
            mutex->__data.__count = 0;
            mutex->__data.__nusers = 0;
        } else {
            // Time goes on, or the one that has it could wait for ever.
            simulation_sleep(1000);
        }
    }
}
