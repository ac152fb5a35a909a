import CSimulation
import Foundation
import Glibc
import Synchronization

/// A real PostgreSQL, which the instances of a world share. The world's time stands still while it works, and it does
/// one thing at a time, so the same is asked of it in the same order each time.
///
/// It is a process of its own, in a folder of its own, by the world's clock. Who connects to ``port`` talks to it by
/// way of an ``EngineSession``.
final class Engine: Sendable {
    /// Where the programs, the empty cluster and the clock are, that a world's own engine is made from.
    private static let made = "DEV_SIMULATION_ENGINE"
    static let port: UInt16 = 5432
    static let user = "gatehouse"
    /// What it is asked for beyond the rules: whatever it would do by itself, and at times of its own, it leaves.
    private static let settings = [
        "listen_addresses=", "fsync=off", "full_page_writes=off", "autovacuum=off", "wal_level=minimal",
        "max_wal_senders=0", "shared_buffers=8MB", "max_connections=80", "jit=off", "track_counts=off",
        "max_parallel_workers_per_gather=0", "deadlock_timeout=1h", "checkpoint_timeout=1d", "bgwriter_lru_maxpages=0",
        "max_logical_replication_workers=0", "dynamic_shared_memory_type=mmap", "log_min_messages=panic",
        "log_min_error_statement=panic", "wal_writer_delay=10s", "wal_writer_flush_after=0",
    ]

    private struct State {
        var owner: Int32 = 0
        var sessions: [EngineSession] = []
    }

    private let state = Mutex(State())
    let faults = EngineFaults()
    let story: Story

    /// Whether there is one to be had.
    static var isThere: Bool { ProcessInfo.processInfo.environment[made] != nil }

    init(in folder: String, story: Story) throws {
        guard let made = ProcessInfo.processInfo.environment[Self.made] else { throw EngineError.isMissing(Self.made) }
        self.story = story
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        guard unsafe simulation_engine_begin(folder, Self.command(made, folder)) else {
            throw EngineError.doesNotStart(folder + "/log")
        }
    }

    private static func command(_ made: String, _ folder: String) -> String {
        let options = (settings + ["unix_socket_directories=\(folder)"]).map { "-c '\($0)'" }.joined(separator: " ")
        // It refuses to run as root. Should this process die, so does it.
        return """
            as=; if [ "$(id -u)" = 0 ]; then as='setpriv --reuid=postgres --regid=postgres --clear-groups'; fi
            cp -a '\(made)/data' '\(folder)/data' && cd '\(folder)' && chmod 755 . \
            && { [ -z "$as" ] || chown postgres .; } \
            && exec $as ${as:+--pdeathsig=KILL} env LD_PRELOAD='\(made)/clock.so' SHOWN_CLOCK='\(folder)/clock' \
            '\(made)/bin/postgres' -D '\(folder)/data' \(options) >'\(folder)/log' 2>&1
            """
    }

    /// Takes connections from now on.
    func start() {
        let owner = Owners.next()
        state.withLock { $0.owner = owner }
        simulation_ignore_bytes(owner)
        Thread.detachNewThread { [self] in
            simulation_set_owner(owner)
            listen(owner)
        }
    }

    /// Resets every connection, and takes no others until it is started again. What was committed stays.
    func crash() {
        let (owner, sessions) = state.withLock { state in
            defer { state.sessions = [] }
            return (state.owner, state.sessions)
        }
        simulation_kill(owner)
        for session in sessions { end(session) }
    }

    /// Ends it for good.
    func stop() {
        crash()
        simulation_engine_end()
    }

    private func listen(_ owner: Int32) {
        let listener = simulation_engine_listen(Self.port)
        guard listener >= 0 else { return story.find("the engine can't listen") }
        while true {
            let client = simulation_engine_accept(listener)
            guard client >= 0 else { continue }
            Thread.detachNewThread { [self] in
                simulation_set_owner(owner)
                serve(client)
            }
        }
    }

    private func serve(_ client: Int32) {
        defer { close(client) }
        let backend = simulation_engine_connect()
        guard backend >= 0 else { return }
        let session = EngineSession(client: client, backend: backend, engine: self)
        state.withLock { $0.sessions.append(session) }
        session.run()
        state.withLock { $0.sessions.removeAll { $0 === session } }
        end(session)
        settle()
    }

    private func end(_ session: EngineSession) {
        guard session.noteEnd() else { return }
        if session.number != 0 {
            _ = unsafe simulation_engine_answers_yes("SELECT pg_terminate_backend(\(session.number))")
            while unsafe simulation_engine_answers_yes(
                "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = \(session.number))")
            {}
        }
        close(session.backend)
    }

    // MARK: Locks

    /// Waits until everybody who waited for a lock has its answer, or waits again.
    func settle() {
        for session in state.withLock(\.sessions) where session.isBlocked { session.settle() }
    }

    func waitsForLock(_ backend: Int32) -> Bool {
        unsafe simulation_engine_answers_yes(
            "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = \(backend) AND NOT granted)")
    }

    func isInDeadlock(_ backend: Int32) -> Bool {
        unsafe simulation_engine_answers_yes(
            """
            WITH RECURSIVE blockers(pid) AS (SELECT unnest(pg_blocking_pids(\(backend)))
            UNION SELECT unnest(pg_blocking_pids(pid)) FROM blockers) SELECT \(backend) IN (SELECT pid FROM blockers)
            """)
    }

    func cancel(_ backend: Int32) { _ = unsafe simulation_engine_answers_yes("SELECT pg_cancel_backend(\(backend))") }
}

enum EngineError: Error {
    case isMissing(String)
    case doesNotStart(String)
}

/// What the engine does wrong.
final class EngineFaults: Sendable {
    /// Of a million statements, how many are refused as if others had changed what they read.
    private let conflicts = Atomic<Int>(0)

    var conflictsInAMillion: Int {
        get { conflicts.load(ordering: .relaxed) }
        set { conflicts.store(newValue, ordering: .relaxed) }
    }

    func refuses() -> Bool {
        let conflicts = conflictsInAMillion
        return conflicts > 0 && Draw.below(1_000_000) < conflicts
    }
}
