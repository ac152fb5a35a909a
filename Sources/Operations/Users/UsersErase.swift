import Accounts
import AccountsSQL
import AccountsSQLite
import ArgumentParser
import Composition
import JSON
import SignIn
internal import System

/// One user, for good.
struct UsersErase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase", abstract: "Erase a user for good: profile, identities, sessions and receipts.",
        discussion: "Without --yes it only says what would go. A later sign-in makes a new user.")

    @Argument(help: "The user's number.")
    var id: Int64
    @Flag(help: "Really erase.")
    var yes = false
    @OptionGroup var report: ReportOptions
    @OptionGroup var options: StoreOptions

    func run() async throws {
        try await options.withStore(looksAtSomebody: !yes) { store, _, clock in
            let record = try await store.record(of: id, now: clock.seconds)
            if yes {
                guard
                    try await store.repository.erase(
                        UserID(rawValue: id), line: clock.line, now: clock.seconds)
                else {
                    throw UsersCommand.noSuchUser()
                }
                try await scrub(store)
            }
            if !yes { try await store.repository.note(.userViewed, of: record.user.id, [], now: clock.seconds) }
            write(record)
        }
    }

    /// The user is gone from the database; the log still has the pages as they were. While a server runs, that is for
    /// the server to clear.
    private func scrub(_ store: OpenStore) async throws(RepositoryError) {
        if try await store.repository.scrub() { return }
        StandardError.write(
            "The server empties the database's log of the user within seconds, or when who reads in it has finished.\n"
        )
    }

    private func write(_ record: UserRecord) {
        let counts = [
            ("identities", record.identities.count), ("sessions", record.sessions.count),
            ("receipts", record.receipts.count),
        ]
        var members: [JSONObject.Member] = [("user_id", .integer(id)), ("erased", .boolean(yes))]
        members += counts.map { ($0, .integer(Int64($1))) }
        let what = counts.map { "\($0) \($1)" }.joined(separator: ", ")
        report.write(
            .object(JSONObject(members)),
            yes
                ? "User \(id) is erased: profile, \(what).\n"
                : "User \(id) would be erased: profile, \(what). Nothing was erased; --yes does it.\n")
    }
}
