import Accounts
import AccountsSQL
import AccountsSQLite
import ArgumentParser
import Composition
import JSON
import SignIn
import System

/// Takes a signing key out of use.
struct KeysRetire: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retire", abstract: "Take a signing key out of use for good, because it has leaked.",
        discussion: """
            What the key has signed is refused from then on: a running server drops it within five seconds. Others \
            may keep /.well-known/jwks.json for five minutes. The key that signs can't be retired: let another one \
            sign first (gatehouse keys rotate --now, or that with --receipts or --client). Old keys of access tokens retire \
            by themselves when nothing they signed is valid any more; keys of receipts never do.
            """)

    @Argument(help: "The key's kid, as keys list and the JWK set have it; after -- when it begins with a hyphen.")
    var kid: String
    @OptionGroup var report: ReportOptions
    @OptionGroup var options: StoreOptions

    func run() async throws {
        try await options.withStore { store, _, clock in
            let now = clock.seconds
            switch try await store.repository.retireSigningKey(kid, now: now) {
            case .retired: tell(at: now, "is retired; running servers drop it within five seconds")
            case .retiredBefore(let time): tell(at: time, "is retired since \(CalendarTime.rfc3339(time))")
            case .signs(let purpose):
                let rotate =
                    switch purpose {
                    case .receipt: "rotate --receipts --now"
                    case .clientRS256, .clientES256: "rotate --client --now"
                    case .session, .idToken: "rotate --now"
                    }
                throw StoreOptions.fail(
                    "\(kid) is the \(purpose.rawValue) key that signs; let another one sign first: "
                        + "gatehouse keys \(rotate)")
            case .unknown:
                throw StoreOptions.fail("there is no signing key \(kid); gatehouse keys list has all of them")
            }
        }
    }

    private func tell(at time: Int64, _ state: String) {
        report.write(
            ["kid": .string(kid), "state": "retired", "retired_at": .integer(time)],
            "signing key \(kid)  \(state)\n")
    }
}
