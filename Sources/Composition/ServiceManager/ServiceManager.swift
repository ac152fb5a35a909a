import Glibc
import System

/// What has started this process and looks after it, such as systemd. It hears what becomes of the process, and may
/// have opened its sockets (`sd_notify(3)`, `sd_listen_fds(3)`). Where there is none, nothing is said.
package struct ServiceManager: Sendable {
    /// What it is told.
    enum State {
        /// The process needs so much more time until it is ready.
        case starting(Duration)
        /// Everything that listens does.
        case ready(String)
        case reloading
        /// What runs is finished; that may take so long.
        case stopping(within: Duration)
        /// The loops turn.
        case alive
    }

    package static let none = ServiceManager(socket: nil, watchdog: nil, sockets: .none)

    private let socket: NotifySocket?
    /// How often it wants to hear that the process lives, or it begins a new one; nil where it doesn't.
    let watchdog: Duration?
    let sockets: InheritedSockets

    private init(socket: NotifySocket?, watchdog: Duration?, sockets: InheritedSockets) {
        (self.socket, self.watchdog, self.sockets) = (socket, watchdog, sockets)
    }

    /// The one that the variables of this process tell of.
    ///
    /// - Parameter process: the process's own number: what was meant for another one is passed over.
    /// - Throws: `StartError.inheritedSockets` for sockets that nobody here would serve.
    package init(_ environment: [String: String], process: Int32) throws(StartError) {
        socket = environment["NOTIFY_SOCKET"].flatMap { NotifySocket(path: $0) }
        let isOurs = environment["WATCHDOG_PID"].map { $0 == String(process) } ?? true
        watchdog = isOurs ? environment["WATCHDOG_USEC"].flatMap { Int64($0) }.map { .microseconds($0) } : nil
        do throws(InheritedSockets.Fault) {
            sockets = try InheritedSockets(environment, process: process)
        } catch {
            throw .inheritedSockets(error)
        }
    }

    /// The one of this process.
    package static func ofProcess() throws(StartError) -> ServiceManager {
        let names = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]
        let environment = names.reduce(into: [:]) { $0[$1] = EnvironmentVariables.value($1) }
        return try ServiceManager(environment, process: getpid())
    }

    /// Says it. A manager that can't be reached finds out by its own means, so that is no fault of ours.
    func tell(_ state: State) {
        try? socket?.send(Self.lines(state, now: MonotonicTime.now))
    }

    static func lines(_ state: State, now: MonotonicTime) -> [String] {
        switch state {
        case .starting(let time): ["EXTEND_TIMEOUT_USEC=\(microseconds(time))"]
        case .ready(let address): ["READY=1", "STATUS=listening on \(address)"]
        case .reloading:
            ["RELOADING=1", "MONOTONIC_USEC=\(now.nanoseconds / 1000)", "STATUS=reading the configuration again"]
        case .stopping(let time):
            ["STOPPING=1", "STATUS=finishing what runs", "EXTEND_TIMEOUT_USEC=\(microseconds(time))"]
        case .alive: ["WATCHDOG=1"]
        }
    }

    private static func microseconds(_ time: Duration) -> Int64 { Int64(time / .microseconds(1)) }
}

extension ServiceManager {
    /// How long a start may take from one word to the next.
    private static let patience = Duration.seconds(30)
    private static let pause = Duration.seconds(10)

    /// Has the manager wait for a start that takes longer than it would: a store that is brought up to date, or whose
    /// server is not there yet.
    package func awaiting<Result>(
        _ start: () async throws(StartError) -> Result
    ) async throws(StartError) -> Result {
        let words = Task {
            while !Task.isCancelled {
                tell(.starting(Self.patience))
                try? await Task.sleep(for: Self.pause)
            }
        }
        defer { words.cancel() }
        return try await start()
    }
}
