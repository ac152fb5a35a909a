import Foundation
import Glibc
import Synchronization

/// A program of its own, started by `posix_spawn`. Foundation's `Process` reads past a buffer as it lists the open
/// descriptors, and ends the whole test run with it now and then.
final class ChildProcess: Sendable {
    enum Ending: Equatable {
        case exited(Int32)
        case signalled(Int32)
    }

    /// What a standard stream of the child is.
    enum Stream {
        case null
        case file(URL)
        /// A descriptor of ours, which stays ours.
        case descriptor(Int32)
    }

    struct NotStarted: Error {
        let executable: String
        let code: Int32
    }

    let identifier: pid_t
    /// How it ended. To send it a signal, hold the lock, so that the number is not another's yet.
    private let ending = Mutex<Ending?>(nil)

    /// - Parameters:
    ///   - environment: added to this process's own.
    ///   - inherited: descriptors of ours that it has from 3 on, all above them.
    init(
        _ executable: URL, _ arguments: [String], environment: [String: String] = [:], input: Stream = .null,
        output: Stream = .null, errors: Stream = .null, inherited: [Int32] = []
    ) throws {
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        for (number, stream) in [(STDIN_FILENO, input), (STDOUT_FILENO, output), (STDERR_FILENO, errors)] {
            switch stream {
            case .null: unsafe posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            case .file(let file):
                unsafe posix_spawn_file_actions_addopen(
                    &actions, number, file.path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
            case .descriptor(let descriptor):
                unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, number)
            }
        }
        var next = STDERR_FILENO + 1
        for descriptor in inherited {
            unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, next)
            next += 1
        }
        unsafe closeAllAbove(&actions, next)
        // The test run ignores and blocks what the child must hear.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        let variables = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        let words = unsafe ([executable.path] + arguments).map { unsafe strdup($0) } + [nil]
        let settings = unsafe variables.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer { unsafe (words + settings).forEach { unsafe free($0) } }
        var identifier: pid_t = 0
        let code = unsafe posix_spawn(&identifier, executable.path, &actions, &attributes, words, settings)
        guard code == 0 else { throw NotStarted(executable: executable.path, code: code) }
        self.identifier = identifier
    }

    var isRunning: Bool { ending.withLock { reap(&$0, WNOHANG) == nil } }

    func signal(_ number: Int32) {
        ending.withLock { ending in
            if reap(&ending, WNOHANG) == nil { kill(identifier, number) }
        }
    }

    /// Holds up this thread until it ends.
    @discardableResult
    func wait() -> Ending {
        // The ended child stays, so that signals can be sent while this waits, and several can wait.
        var information = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        return ending.withLock { reap(&$0, 0) } ?? .signalled(0)
    }

    /// Waits until it ends, without holding up a thread that other tests run on.
    @discardableResult
    func ended() async -> Ending {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: self.wait()) }
        }
    }

    private func reap(_ ending: inout Ending?, _ options: Int32) -> Ending? {
        var status: Int32 = 0
        if ending == nil, unsafe waitpid(identifier, &status, options) == identifier {
            ending = status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .signalled(status & 0x7f)
        }
        return ending
    }
}

/// Debian's C library has it, but Swift's view of its headers has not.
@_silgen_name("posix_spawn_file_actions_addclosefrom_np")
@discardableResult
private func closeAllAbove(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ first: Int32) -> Int32
