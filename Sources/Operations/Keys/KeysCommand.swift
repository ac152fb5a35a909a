import Accounts
import AccountsSQL
import AccountsSQLite
import ArgumentParser
import Composition
import JSON
import SignIn
import System

/// `gatehouse keys …`.
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "List, rotate and retire the keys that sign our tokens and seal the store.",
        discussion: "All of it works beside a running server, but for change-master.",
        subcommands: [KeysList.self, KeysRotate.self, KeysRetire.self, KeysChangeMaster.self])
}

/// All keys, and never a key itself.
struct KeysList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the signing keys, what for and in which state, and the data keys, the newest first.")

    @Flag(help: "Print JSON.")
    var json = false
    @OptionGroup var options: StoreOptions

    func run() async throws {
        try await options.withStore { store, _, clock in
            let all = try await store.repository.signingKeyEntries()
            let signing = SigningKeyEntry.Purpose.allCases.flatMap { purpose in
                all.filter { $0.purpose == purpose }.map { ListedKey($0, of: all, now: clock.seconds) }
            }
            let sealing = try await store.repository.keyRing().sorted { $0.number > $1.number }
            guard !json else { return StandardOutput.write(Self.document(signing, sealing)) }
            for key in signing { StandardOutput.write("\(key.line)\n") }
            for key in sealing {
                let state = key.number == sealing.first?.number ? "seals and opens" : "opens"
                StandardOutput.write(
                    "data key \(key.number)  since \(CalendarTime.rfc3339(key.createdAt))  \(state)\n")
            }
        }
    }

    private static func document(_ signing: [ListedKey], _ sealing: [KeyRingEntry]) -> JSONValue {
        [
            "signing_keys": .array(signing.map(\.document)),
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

/// A signing key as it is listed.
private struct ListedKey {
    private enum State: String { case signing, published, verifying, retired }

    private let entry: SigningKeyEntry
    private let state: State

    init(_ entry: SigningKeyEntry, of all: [SigningKeyEntry], now: Int64) {
        self.entry = entry
        state =
            if entry.retiredAt != nil {
                .retired
            } else if entry.kid == all.signing(entry.purpose, now: now)?.kid {
                .signing
            } else {
                entry.signsFrom > now ? .published : .verifying
            }
    }

    var line: String {
        "signing key \(entry.kid)  \(entry.purpose.rawValue)  since \(CalendarTime.rfc3339(entry.createdAt))  \(words)"
    }

    private var words: String {
        switch state {
        case .signing: "signs and verifies"
        case .published: "is published, and signs from \(CalendarTime.rfc3339(entry.signsFrom)) on"
        case .verifying: entry.isLasting ? "verifies until it is retired" : "verifies"
        case .retired: "is retired since \(CalendarTime.rfc3339(entry.retiredAt ?? entry.createdAt))"
        }
    }

    var document: JSONValue {
        [
            "kid": .string(entry.kid), "purpose": .string(entry.purpose.rawValue),
            "created_at": .integer(entry.createdAt), "signs_from": .integer(entry.signsFrom),
            "state": .string(state.rawValue), "retired_at": entry.retiredAt.map { .integer($0) } ?? .null,
        ]
    }
}
