import Accounts
import AccountsSQLite
import ArgumentParser
import Composition
import Glibc
import JSON
import Settings
internal import System

/// Gives back what it does not need.
struct StoreCompact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact", abstract: "Write the store anew without its free pages, while no server runs.",
        discussion: """
            The new file lies beside the store, takes as much room as what is in use, and takes its place once it is \
            examined as by store check. Nothing of who was erased comes along. Killed at any moment, the next start has \
            the store as it was or compacted.
            """)

    @OptionGroup var report: ReportOptions
    @OptionGroup var options: StoreOptions

    func run() async throws {
        let now = WallClock.now.seconds
        let storage = try options.configuration.settings().storage
        let examined = ProgressReport("values tried in the new file")
        do {
            let store = try ClosedStore(storage, now: now)
            let outcome = try await SQLiteAccounts.compact(store.settings, unlockKeyRing: store.unlock) {
                progress in
                if case .examined(let done, let total) = progress { examined.tell(done, of: total) }
            }
            report.write(
                ["bytes_before": .integer(outcome.before), "bytes_after": .integer(outcome.after)],
                "The store takes \(outcome.after) bytes, \(outcome.before) before.\n")
        } catch let error as CompactError {
            if case .unfinished(let reason) = error {
                throw StoreOptions.fail(
                    "not yet compacted: the new file takes the place of the database with the next start, for so far "
                        + "it can't: \(reason)")
            }
            throw StoreOptions.fail("nothing was compacted: \(Self.text(error))")
        } catch {
            throw StoreOptions.told(error, "")
        }
    }

    private static func text(_ failure: CompactError) -> String {
        switch failure {
        case .unfinished(let reason), .store(.unavailable(let reason)): "\(reason)"
        case .store(.notOpened(.inUse)): "a server or a command has the database open; stop it first"
        case .store(.notOpened(.noStore)): "there is no database"
        case .store(.wrongMasterKey): "the master key does not open the database"
        case .store(let error): "\(error)"
        case .noRoom(let needed, let free): "it takes \(needed) bytes beside the database, and \(free) are free"
        case .damaged(let findings): "the store does not hold. " + findings.joined(separator: " ")
        }
    }
}
