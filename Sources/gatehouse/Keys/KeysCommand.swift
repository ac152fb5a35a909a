import Accounts
import AccountsSQLite
import ArgumentParser
import JSON
import SignIn

/// `gatehouse keys …`.
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "List and rotate the keys that sign access tokens and seal the store.",
        discussion: "All of it works beside a running server.", subcommands: [List.self, Rotate.self])

    /// All keys, and never a key itself.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the signing keys and the data keys, the newest first.")

        @Flag(help: "Print JSON.")
        var json = false
        @OptionGroup var options: StoreOptions

        func run() async throws {
            try await options.withStore { store, _, clock in
                let signing = try await store.repository.signingKeys()
                let sealing = try await store.repository.keyRing().sorted { $0.number > $1.number }
                let kid = SessionKeys.signing(signing, now: clock.seconds)?.kid
                if json {
                    StandardOutput.write(Self.document(signing, signingKID: kid, sealing, now: clock.seconds))
                } else {
                    for key in signing {
                        let state = Self.state(key, signingKID: kid, now: clock.seconds)
                        StandardOutput.write(
                            "signing key \(key.kid)  since \(TimeText.utc(key.createdAt))  \(Self.words(state, key))\n")
                    }
                    for key in sealing {
                        let state = key.number == sealing.first?.number ? "seals and opens" : "opens"
                        StandardOutput.write(
                            "data key \(key.number)  since \(TimeText.utc(key.createdAt))  \(state)\n")
                    }
                }
            }
        }

        private enum State: String { case signing, published, verifying }

        private static func state(_ key: SigningKey, signingKID: String?, now: Int64) -> State {
            if key.kid == signingKID { return .signing }
            return key.signsFrom > now ? .published : .verifying
        }

        private static func words(_ state: State, _ key: SigningKey) -> String {
            switch state {
            case .signing: "signs and verifies"
            case .published: "is published, and signs from \(TimeText.utc(key.signsFrom)) on"
            case .verifying: "verifies"
            }
        }

        private static func document(
            _ signing: [SigningKey], signingKID: String?, _ sealing: [KeyRingEntry], now: Int64
        ) -> JSONValue {
            [
                "signing_keys": .array(
                    signing.map { key in
                        [
                            "kid": .string(key.kid), "created_at": .integer(key.createdAt),
                            "signs_from": .integer(key.signsFrom),
                            "state": .string(state(key, signingKID: signingKID, now: now).rawValue),
                        ]
                    }),
                "data_keys": .array(
                    sealing.map { key in
                        [
                            "number": .integer(key.number), "created_at": .integer(key.createdAt),
                            "seals": .boolean(key.number == sealing.first?.number),
                        ]
                    }),
            ]
        }
    }
}
