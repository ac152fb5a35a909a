import Accounts
import AccountsSQLite
import ArgumentParser
import Composition
import Glibc
import JSON
import Settings
internal import System

/// Puts a backup in its place.
struct StoreRestore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Put a backup in the place of the store, while no server runs.",
        discussion: """
            It needs the backup, the master key file it was made under, as configured, and the ledger. First a copy of \
            the backup is examined as by store check. Then the ledger is applied to it: who was erased since stays \
            erased, identities that were taken from a user or went to another carrier are taken again, leaked keys stay \
            retired. Every session ends, and no number of a user is ever given twice. Only then the copy takes the place \
            of the store, which is kept under another name. Whatever is wrong changes nothing; killed at any moment, the \
            next start has the store as it was or restored.

            Users and links that came after the backup are gone. Who had gone to another carrier since has no identity \
            left and is told by number: PUT one with the admin API, or erase the user.
            """)

    @Argument(help: "The backup. It is only read.")
    var file: String
    @Option(help: ArgumentHelp("The ledger, where it is not beside the database.", valueName: "file"))
    var ledger: String?
    @Flag(help: "Do without the ledger: users who were erased since the backup are back.")
    var withoutLedger = false
    @Flag(help: "Leave the sessions of the backup open; those that were ended since are open again.")
    var keepSessions = false
    @OptionGroup var report: ReportOptions
    @OptionGroup var options: StoreOptions

    func validate() throws {
        if withoutLedger, ledger != nil {
            throw ValidationError("--ledger and --without-ledger exclude each other")
        }
    }

    func run() async throws { try await options.asOperator { try await restore() } }

    private func restore() async throws {
        let now = WallClock.now.seconds
        let storage = try options.configuration.settings().storage
        let copied = ProgressReport("bytes copied")
        let examined = ProgressReport("values tried in the copy")
        do {
            let store = try ClosedStore(storage, now: now)
            let outcome = try await SQLiteAccounts.restore(
                RestoreRequest(
                    backup: file, ledger: withoutLedger ? .none : ledger.map { .at($0) } ?? .besideStore,
                    keepsSessions: keepSessions),
                in: store.settings, now: now, unlockKeyRing: store.unlock
            ) { progress in
                switch progress {
                case .copied(let done, let total): copied.tell(done, of: total)
                case .examined(let done, let total): examined.tell(done, of: total)
                }
            }
            report.write(Self.document(outcome), Self.text(outcome))
        } catch let error as RestoreError {
            // After reading that nothing was restored, nobody would make use of what is coming.
            if case .unfinished = error { throw StoreOptions.fail("not yet restored: \(error)") }
            throw StoreOptions.fail("nothing was restored: \(error)")
        } catch {
            throw StoreOptions.told(error, "")
        }
    }

    private static func document(_ outcome: RestoreOutcome) -> JSONValue {
        [
            "users": .integer(Int64(outcome.users)), "ledger_records": .integer(Int64(outcome.records)),
            "users_erased": .integer(Int64(outcome.erased)),
            "sessions_ended": .integer(Int64(outcome.endedSessions)),
            "users_without_identity": .array(outcome.stranded.map { .integer($0.rawValue) }),
            "lines_passed_over": .integer(Int64(outcome.unprovenLines)),
            "former_store": outcome.former.map { .string($0) } ?? .null,
        ]
    }

    private static func text(_ outcome: RestoreOutcome) -> String {
        var lines = ["The backup is restored, with \(outcome.users) users."]
        lines.append(
            "\(outcome.records) records of the ledger were newer; \(outcome.erased) users were erased again by them."
        )
        if outcome.unprovenLines > 0 {
            lines.append("\(outcome.unprovenLines) lines of the ledger are proven by no key and were passed over.")
        }
        lines.append(
            outcome.endedSessions > 0 ? "\(outcome.endedSessions) sessions ended." : "No session was ended.")
        if !outcome.stranded.isEmpty {
            let numbers = outcome.stranded.map { String($0.rawValue) }.joined(separator: ", ")
            lines.append("Users without an identity, who can't sign in until they are given one: \(numbers).")
        }
        if let former = outcome.former {
            lines.append("The former store is \(former). It holds personal data: remove it in time.")
        }
        return lines.map { $0 + "\n" }.joined()
    }
}
