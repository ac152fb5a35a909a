import Accounts
import ArgumentParser
import Composition
import JSON
import SignIn
internal import System

/// Nobody signs in as the user any more.
struct UsersLock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock", abstract: "Lock a user: all sessions end, and nobody signs in as them.",
        discussion: """
            It holds at once, at every instance. A user who is locked already gets the new lock. Everybody who looks \
            at the user reads --reason; name nobody in it.
            """)

    @Argument(help: "The user's number.")
    var id: Int64
    @Option(help: "When the lock ends by itself, in seconds since 1970; for good without it.")
    var until: Int64?
    @OptionGroup var report: ReportOptions
    @OptionGroup var options: StoreOptions

    func run() async throws {
        try await options.withStore { store, _, clock in
            let now = clock.seconds
            if let until, until <= now {
                throw ValidationError("--until is \(until), which is over; it is \(now) now.")
            }
            let lock = Lock(cause: .operator, reason: options.reason, since: now, until: until)
            guard try await store.repository.lock(UserID(rawValue: id), lock, line: clock.line, now: now) else {
                throw UsersCommand.noSuchUser()
            }
            report.write(["user_id": .integer(id), "locked": true], "User \(id) is locked; all sessions have ended.\n")
        }
    }
}

/// The user may sign in again.
struct UsersUnlock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock", abstract: "Unlock a user, by every identity.",
        discussion:
            "The user must authenticate anew at the provider. It works for one who was erased while locked, too.")

    @Argument(help: "The user's number.")
    var id: Int64
    @OptionGroup var report: ReportOptions
    @OptionGroup var options: StoreOptions

    func run() async throws {
        try await options.withStore { store, _, clock in
            let line = NotBefore(drawnAt: clock.milliseconds, reauthenticate: true)
            guard try await store.repository.unlock(UserID(rawValue: id), line: line, now: clock.seconds) else {
                StandardError.write("gatehouse: user \(id) is not locked\n")
                throw ExitCode(1)
            }
            report.write(["user_id": .integer(id), "locked": false], "User \(id) may sign in again.\n")
        }
    }
}
