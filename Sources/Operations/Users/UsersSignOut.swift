import Accounts
import ArgumentParser
import Composition
import JSON
import SignIn
internal import System

/// The end of all of a user's sessions.
struct UsersSignOut: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out", abstract: "End all of a user's sessions, and what is under way to become one.")

    @Argument(help: "The user's number.")
    var id: Int64
    @Flag(help: "The user must authenticate anew at the provider, whenever they come back.")
    var reauthenticate = false
    @OptionGroup var report: ReportOptions
    @OptionGroup var options: StoreOptions

    func run() async throws {
        try await options.withStore { store, _, clock in
            let user = UserID(rawValue: id)
            guard try await store.repository.user(user) != nil else { throw UsersCommand.noSuchUser() }
            let line = NotBefore(drawnAt: clock.milliseconds, reauthenticate: reauthenticate)
            let count = try await store.repository.revokeSessions(
                of: user, except: nil, line: line, now: clock.seconds)
            report.write(
                ["user_id": .integer(id), "sessions_ended": .integer(Int64(count))],
                "\(count) sessions of user \(id) have ended.\n")
        }
    }
}

/// The end of one identity, by an operator's word.
struct UsersUnlink: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlink", abstract: "Take an identity from a user, with the sessions that it has opened.",
        discussion: "The last identity stays, or nobody could sign in as the user any more.")

    @Argument(help: "The user's number.")
    var id: Int64
    @Argument(help: "The identity's number, as `users show` has it.")
    var identity: Int64
    @OptionGroup var report: ReportOptions
    @OptionGroup var options: StoreOptions

    func run() async throws {
        try await options.withStore { store, _, clock in
            let outcome = try await store.repository.unlink(
                IdentityID(rawValue: identity), of: UserID(rawValue: id), line: clock.line, now: clock.seconds)
            switch outcome {
            case .unlinked: break
            case .lastIdentity:
                StandardError.write("gatehouse: it is the user's last identity\n")
                throw ExitCode(1)
            case .notFound, .refused:
                StandardError.write("gatehouse: user \(id) has no identity \(identity)\n")
                throw ExitCode(1)
            }
            report.write(
                ["user_id": .integer(id), "identity_id": .integer(identity), "unlinked": true],
                "Identity \(identity) is user \(id)'s no more.\n")
        }
    }
}
