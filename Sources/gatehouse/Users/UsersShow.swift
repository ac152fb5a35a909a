import Accounts
import AccountsSQLite
import ArgumentParser
import SignIn
import WebAPI

extension UsersCommand {
    /// One user.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a user's identities and sessions, and nothing personal.")

        @Argument(help: "The user's number.")
        var id: Int64
        @Flag(help: "Print JSON.")
        var json = false
        @OptionGroup var options: StoreOptions

        func run() async throws {
            try await options.withStore { store, _, clock in
                UserText.write(try await store.record(of: id, now: clock.seconds), json: json)
            }
        }
    }

    /// The user who has a subject.
    struct Find: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Find the user who signs in by a subject of an issuer, and show that user.",
            discussion: "Exits 1 when nobody does.")

        @Option(help: "The issuer, to the letter as ID tokens name it.")
        var issuer: String
        @Option(help: "The subject; - reads it from standard input, which keeps it out of the shell's history.")
        var subject: String
        @Flag(help: "Print JSON.")
        var json = false
        @OptionGroup var options: StoreOptions

        func run() async throws {
            let value = subject == "-" ? readLine(strippingNewline: true) ?? "" : subject
            try await options.withStore { store, _, clock in
                let found = try await store.repository.user(with: Subject(issuer: issuer, value: value))
                guard let found else { throw UsersCommand.noSuchUser() }
                UserText.write(try await store.record(of: found.rawValue, now: clock.seconds), json: json)
            }
        }
    }
}

/// A user for people who look.
enum UserText {
    static func write(_ record: UserRecord, json: Bool) {
        if json { return StandardOutput.write(UserDocument.overview(record)) }
        StandardOutput.write("user \(record.user.id)  since \(TimeText.utc(record.user.createdAt))\n")
        for identity in record.identities {
            let signIn =
                identity.lastSignInAt == 0 ? "never signed in" : "last sign-in \(TimeText.utc(identity.lastSignInAt))"
            StandardOutput.write(
                "identity \(identity.id)  \(identity.provider)  \(identity.subject.issuer)  by \(identity.origin.rawValue)"
                    + "  since \(TimeText.utc(identity.linkedAt))  \(signIn)\n")
        }
        for session in record.sessions {
            StandardOutput.write(
                "session \(session.id)  \(session.provider)  since \(TimeText.utc(session.createdAt))"
                    + "  until \(TimeText.utc(session.expiresAt))\n")
        }
    }
}
