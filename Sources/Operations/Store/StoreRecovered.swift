import Accounts
import AccountsPostgres
import ArgumentParser
import Composition
import JSON
import Settings
import SignIn
internal import System

/// Has a database go on that was put back in time, or promoted without all of the log.
struct StoreRecovered: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recovered",
        abstract: "Have PostgreSQL go on after it lost something: restored to an earlier time, or promoted too early.",
        discussion: """
            Instances serve nothing from a database that lacks what they have seen acknowledged. When it is the one that is to \
            go on, run this once, beside the instances or without any. Numbers of users go on far behind the last one, so that \
            nobody gets a number that was somebody else's. Every session ends, keys are made anew, and what the ledger \
            (storage.ledger) tells is done again: who was erased stays erased, what was unlinked, locked or retired stays so. \
            A new epoch begins: instances go on within seconds, and none serves the other server again, should it come back.

            Users and links that came after the point in time are gone. A user who had gone to another carrier since has no \
            identity left and is told by number.
            """)

    @Flag(help: "Do without the ledger: users who were erased since are back.")
    var withoutLedger = false
    @Flag(help: "Only begin a new epoch: you have made sure that the database has everything.")
    var nothingLost = false
    @OptionGroup var report: ReportOptions
    @OptionGroup var options: StoreOptions

    func run() async throws {
        let hasLedger = try options.configuration.settings().storage.ledger != nil
        if !hasLedger, !withoutLedger, !nothingLost {
            throw StoreOptions.fail(
                "storage.ledger names none, so that users who were erased since are back: say --without-ledger to go on"
            )
        }
        try await options.withStore(for: .recovery) { store, _, clock in
            guard let database = store.database else {
                throw StoreOptions.fail("storage.url names a file: see gatehouse store restore")
            }
            if nothingLost {
                let epoch = try await database.recoverWithoutLoss(now: clock.seconds)
                return report.write(["epoch": .integer(epoch)], "The database goes on as it is, in epoch \(epoch).\n")
            }
            let keys = try await SessionKeys.replacements(forThoseIn: database, now: clock.seconds)
            let outcome = try await database.recover(
                RecoveryRequest(usesLedger: !withoutLedger, signingKeys: keys, now: clock.seconds))
            report.write(Self.document(outcome), Self.text(outcome))
        }
    }

    private static func document(_ outcome: RecoveryOutcome) -> JSONValue {
        [
            "epoch": .integer(outcome.epoch), "ledger_records": .integer(Int64(outcome.records)),
            "users_erased": .integer(Int64(outcome.erased)),
            "sessions_ended": .integer(Int64(outcome.endedSessions)),
            "users_without_identity": .array(outcome.stranded.map { .integer($0.rawValue) }),
            "lines_passed_over": .integer(Int64(outcome.unprovenLines)),
        ]
    }

    private static func text(_ outcome: RecoveryOutcome) -> String {
        var lines = ["The database goes on in epoch \(outcome.epoch)."]
        lines.append(
            "\(outcome.records) records of the ledger were newer; \(outcome.erased) users were erased again by them.")
        if outcome.unprovenLines > 0 {
            lines.append("\(outcome.unprovenLines) lines of the ledger are proven by no key and were passed over.")
        }
        lines.append("\(outcome.endedSessions) sessions ended, and keys were made anew.")
        if !outcome.stranded.isEmpty {
            let numbers = outcome.stranded.map { String($0.rawValue) }.joined(separator: ", ")
            lines.append("Users without an identity, who can't sign in until they are given one: \(numbers).")
        }
        return lines.map { $0 + "\n" }.joined()
    }
}
