import Accounts
import AccountsSQL
import AccountsSQLite
import ArgumentParser
import Composition
import SignIn
import System
import WebAPI

/// Users by number.
struct UsersList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List users by number: when they came, how many identities they have, when they last signed in.")

    private static let pageSize = 1000

    @Option(help: "Begin after the user of this number.")
    var after: Int64?
    @Option(help: "List so many at most; all when absent.")
    var limit: Int?
    @Option(help: "Only users with an identity at this provider.")
    var provider: String?
    @Flag(help: "Print one JSON object a line.")
    var json = false
    @OptionGroup var options: StoreOptions

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("The limit is a number from 1 on.") }
    }

    func run() async throws {
        try await options.withStore { store, _, _ in
            var (last, left) = (after.map(UserID.init(rawValue:)), limit ?? .max)
            while left > 0 {
                let size = min(left, Self.pageSize)
                let page = try await store.repository.users(after: last, limit: size, provider: provider)
                for user in page { write(user) }
                guard page.count == size else { return }
                last = page.last?.id
                left -= size
            }
        }
    }

    private func write(_ user: UserSummary) {
        if json { return StandardOutput.write(UserDocument.summary(user)) }
        let signIn = user.lastSignInAt.map { "last sign-in \(CalendarTime.rfc3339($0))" } ?? "never signed in"
        StandardOutput.write(
            "\(user.id)  since \(CalendarTime.rfc3339(user.createdAt))  identities \(user.identities)  \(signIn)\n")
    }
}
