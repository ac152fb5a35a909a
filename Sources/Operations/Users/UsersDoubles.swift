import Accounts
import ArgumentParser
import Composition
import JSON

/// Who has two accounts since an issuer changed its name.
struct UsersDoubles: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doubles", abstract: "List who has an account under either name of an issuer.",
        discussion: """
            By provider.NAME.issuerAliases a user is found under the former name of an issuer, too. Who signed in under the \
            current name before that was configured has got a second account, and signs in to that one. Each line names \
            one such subject's user and identity under either name, by number.
            """)

    private static let pageSize = 1000

    @Flag(help: "Print JSON, one object a line.")
    var json = false
    @OptionGroup var options: StoreOptions

    func run() async throws {
        try await options.withStore { store, _, _ in
            var last: IdentityID?
            var isAny = false
            while true {
                let page = try await store.repository.doubleIdentities(after: last, limit: Self.pageSize)
                guard let end = page.last else { break }
                for double in page { write(double) }
                isAny = true
                last = end.former.identity
            }
            if !isAny { StandardError.write("Nobody has two accounts by two names of an issuer.\n") }
        }
    }

    private func write(_ double: DoubleIdentity) {
        let (former, current) = (double.former, double.current)
        guard json else {
            return StandardOutput.write(
                "user \(former.user.rawValue) identity \(former.identity.rawValue)  and now  "
                    + "user \(current.user.rawValue) identity \(current.identity.rawValue)\n")
        }
        StandardOutput.write(
            [
                "former": Self.document(former), "current": Self.document(current),
            ] as JSONValue)
    }

    private static func document(_ known: Migration.Known) -> JSONValue {
        ["user": .string(String(known.user.rawValue)), "identity": .string(String(known.identity.rawValue))]
    }
}
