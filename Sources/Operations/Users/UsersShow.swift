import Accounts
import AccountsSQLite
import ArgumentParser
import Composition
import SignIn
import System
import WebAPI

/// One user.
struct UsersShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a user's identities and sessions, and nothing personal.")

    @Argument(help: "The user's number.")
    var id: Int64
    @Flag(help: "Print JSON.")
    var json = false
    @OptionGroup var options: StoreOptions

    func run() async throws {
        try await options.withStore(looksAtSomebody: true) { store, _, clock in
            let record = try await store.record(of: id, now: clock.seconds)
            try await store.repository.note(.userViewed, of: record.user.id, [], now: clock.seconds)
            UserText.write(record, json: json)
        }
    }
}

/// A user for people who look.
enum UserText {
    static func write(_ record: UserRecord, json: Bool) {
        if json { return StandardOutput.write(UserDocument.overview(record)) }
        StandardOutput.write("user \(record.user.id)  since \(CalendarTime.rfc3339(record.user.createdAt))\n")
        if let lock = record.lock {
            let until = lock.until.map { "until \(CalendarTime.rfc3339($0))" } ?? "for good"
            let reason = lock.reason.map { "  \($0)" } ?? ""
            StandardOutput.write(
                "locked by \(lock.cause.rawValue)  since \(CalendarTime.rfc3339(lock.since))  \(until)\(reason)\n")
        }
        for identity in record.identities {
            let signIn =
                identity.lastSignInAt == 0
                ? "never signed in" : "last sign-in \(CalendarTime.rfc3339(identity.lastSignInAt))"
            StandardOutput.write(
                "identity \(identity.id)  \(identity.provider)  \(identity.subject.issuer)  by \(identity.origin.rawValue)"
                    + "  since \(CalendarTime.rfc3339(identity.linkedAt))  \(signIn)\n")
        }
        for session in record.sessions {
            StandardOutput.write(
                "session \(session.id)  \(session.provider)  since \(CalendarTime.rfc3339(session.createdAt))"
                    + "  until \(CalendarTime.rfc3339(session.expiresAt))\n")
        }
    }
}
