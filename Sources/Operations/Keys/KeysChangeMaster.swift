import ArgumentParser
import Composition
import Glibc
import JSON
import Settings
import SignIn
internal import System

/// Puts the store under another master key.
struct KeysChangeMaster: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change-master", abstract: "Put the store under another master key, while no server runs.",
        discussion: """
            The file of the new key may be there already (32 bytes in base64url); where it is not, it is made. The \
            store gets a new data key and new keys for challenges and refresh tokens, everything is sealed anew, and \
            the older data keys are erased. Killed in the middle, the store opens with the old key or with the new \
            one, and the same command finishes what is left.

            With --leaked, because somebody may have had the old key and a copy of the database, all keys that sign \
            are replaced and retired, those of receipts too, and every session ends.

            Backups from before open with the old key only. Keep it as long as you keep them; after a leak, make a \
            backup at once and destroy both.
            """)

    @Option(help: "The file of the new key; it is made when it does not exist.")
    var newKeyFile: String
    @Flag(help: "The old key has leaked: replace what signs, and end every session.")
    var leaked = false
    @OptionGroup var report: ReportOptions
    @OptionGroup var options: StoreOptions

    func run() async throws { try await options.asOperator { try await change() } }

    private func change() async throws {
        // A file that reaches the limit of its size is an error of that write, as a full disk is.
        IgnoredSignals.add(SIGXFSZ)
        let storage = try options.configuration.settings().storage
        OpenStore.keepTemporaryFiles(beside: storage)
        let path: String
        if case .file(let file) = storage.url { path = file } else { path = "" }
        let outcome: MasterKeyChanger.Outcome
        do {
            outcome = try await MasterKeyChanger(
                storage: storage, newKeyFile: newKeyFile, isLeaked: leaked, clock: Clock.system
            ).run()
        } catch {
            throw StoreOptions.told(error, path)
        }
        report.write(document(outcome), text(outcome, place: storage.masterKeyFile ?? path + ".key"))
    }

    private func document(_ outcome: MasterKeyChanger.Outcome) -> JSONValue {
        [
            "new_key_file": .string(newKeyFile), "resumed": .boolean(outcome.isResumed),
            "leaked": .boolean(leaked),
            "sessions_ended": .integer(Int64(outcome.endedSessions ?? 0)),
            "values_looked_through": .integer(Int64(outcome.valuesLookedThrough)),
        ]
    }

    /// - Parameter place: where the configuration has the master key.
    private func text(_ outcome: MasterKeyChanger.Outcome, place: String) -> String {
        var text =
            outcome.isResumed
            ? "The store was under the key in \(newKeyFile) already; what was left to do is done.\n"
            : "The store is under the key in \(newKeyFile) now.\n"
        text += "\(outcome.valuesLookedThrough) sealed values were looked through; older data keys are erased.\n"
        if let ended = outcome.endedSessions {
            text += "All signing keys are replaced, and \(ended) sessions have ended.\n"
        }
        if place != newKeyFile {
            text +=
                "Before the server starts: name \(newKeyFile) in storage.masterKeyFile, or put it at \(place).\n"
        }
        return text + "Backups from before open with the old key only.\n"
    }
}
