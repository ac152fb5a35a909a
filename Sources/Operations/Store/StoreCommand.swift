import Accounts
import AccountsSQLite
import ArgumentParser
import Composition
import JSON
import Settings
import SignIn
internal import System

/// `gatehouse store …`.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Examine the store, back it up, restore it, and bring users from elsewhere.",
        discussion: "All of it works beside a running server, but for restore, compact and copy.",
        subcommands: [
            StoreStatusCommand.self, Check.self, Backup.self, StoreRestore.self, StoreCompact.self, StoreImport.self,
            StoreMigrate.self, StoreCopy.self, StoreRecovered.self,
        ])

    /// Examines all of it.
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Examine the whole store, or a backup, and try to open everything that is sealed.",
            discussion: """
                Says what is wrong, and exits 1 when anything is. With a file it judges that backup as a restore would, \
                beside a running server too: it takes as much room beside the store as the backup has, for as long.
                """)

        @Argument(help: "A backup to judge, instead of the store. It is only read.")
        var file: String?
        @OptionGroup var options: StoreOptions
        @OptionGroup var report: ReportOptions

        func run() async throws {
            if let file { return try await judge(file) }
            try await options.withStore { store, _, _ in
                let progress = ProgressReport("values tried")
                let findings = try await store.repository.check { progress.tell($0, of: $1) }
                report.write(
                    ["findings": .array(findings.map { .string($0) })],
                    findings.isEmpty ? "The store is in order.\n" : findings.map { $0 + "\n" }.joined())
                if !findings.isEmpty { throw ExitCode(1) }
            }
        }

        private func judge(_ file: String) async throws {
            let copied = ProgressReport("bytes copied")
            let examined = ProgressReport("values tried in the copy")
            let judged: BackupJudgement
            do {
                let store = try ClosedStore(
                    options.configuration.settings().storage, now: WallClock.now.seconds)
                judged = try await SQLiteAccounts.judge(
                    backup: file, for: store.settings, unlockKeyRing: store.unlock
                ) { progress in
                    switch progress {
                    case .copied(let done, let total): copied.tell(done, of: total)
                    case .examined(let done, let total): examined.tell(done, of: total)
                    }
                }
            } catch let error as RestoreError {
                throw StoreOptions.fail("\(error)")
            } catch {
                throw StoreOptions.told(error, "")
            }
            let summary = "The backup is in order: \(judged.users) users, schema \(judged.schema).\n"
            report.write(
                [
                    "schema": .integer(Int64(judged.schema)), "users": .integer(Int64(judged.users)),
                    "findings": .array(judged.findings.map { .string($0) }),
                ],
                judged.findings.isEmpty ? summary : judged.findings.map { $0 + "\n" }.joined())
            if !judged.findings.isEmpty { throw ExitCode(1) }
        }
    }

    /// Copies it.
    struct Backup: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copy the store, as of one moment, into a new file, also while the server runs.",
            discussion: """
                The copy is examined as by store check before it gets its name; a store that does not hold has no backup. \
                It is sealed under the same master key, which is not in it: keep the key, and keep it elsewhere.

                A restore (store restore) needs three things: the backup; the master key file it was made under; and the \
                ledger, which lies beside the database (its name with -ledger) and tells who was erased since. The ledger \
                only grows, and has numbers and nothing of anybody: copy it as often as you like, last of all, and keep it as \
                long as the oldest backup.
                """)

        @Argument(help: "The file to make; it must not exist.")
        var file: String
        @OptionGroup var options: StoreOptions

        func run() async throws {
            if case .postgres = try options.configuration.settings().storage.url {
                throw StoreOptions.fail(
                    """
                    storage.url names a PostgreSQL database, whose own tools make its backups: pg_dump --format=custom for one \
                    moment, pg_basebackup and archived log for any; keep the master key file and storage.ledger with them
                    """)
            }
            try await options.withStore { store, _, clock in
                let copied = ProgressReport("pages copied")
                let examined = ProgressReport("values tried in the copy")
                let database = try store.onlyFile()
                do throws(RepositoryError) {
                    try await database.backup(to: file) { progress in
                        switch progress {
                        case .copied(let done, let total): copied.tell(done, of: total)
                        case .examined(let done, let total): examined.tell(done, of: total)
                        }
                    }
                } catch .notOpened(.fileExists) {
                    throw StoreOptions.fail("the file \(file) exists already, and nothing is overwritten")
                } catch {
                    if case .unavailable(let reason) = error {
                        throw StoreOptions.fail("no backup was made: \(reason)")
                    }
                    throw error
                }
                try await store.repository.note(.storeBackedUp, of: nil, [], now: clock.seconds)
                StandardError.write("The backup is in \(file). It opens with the master key only.\n")
            }
        }
    }
}
