import Accounts
import AccountsSQL
import ArgumentParser
import Composition
import Crypto
import EventLoop
import Glibc
import JSON
import Sealing
import Settings
internal import System
import Wings

/// Moves a store into another engine.
struct StoreCopy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy all of a store into an empty one, file or PostgreSQL, while no server runs.",
        discussion: """
            An address is written as storage.url is: file:PATH or postgres://USER@HOST/DATABASE. storage.password is that of \
            storage.url; for another address put the password into a password file of libpq's, or into PGPASSWORD.

            Stop every server of both stores first: of a file that is made sure, of PostgreSQL it can't be. Sessions, refresh \
            tokens and all else live on in the copy. Values are copied as they are sealed, so the master key is the same: it is \
            needed to open the source, and goes along. At the end every table is read again and compared.

            Cut off at any moment, the same command goes on where it was; until it is done, no server opens the copy. The source \
            stays as it is. Never serve both.
            """)

    @Option(help: ArgumentHelp("The store to copy.", valueName: "url"))
    var from: String
    @Option(help: ArgumentHelp("Where to: an empty database, or a file that does not exist.", valueName: "url"))
    var to: String
    @Option(help: "The master key; else storage.masterKeyFile, or the file beside the store that is copied.")
    var masterKeyFile: String?
    @OptionGroup var report: ReportOptions
    @OptionGroup var options: StoreOptions

    func validate() throws {
        if from == to { throw ValidationError("--from and --to name the same store") }
    }

    func run() async throws { try await options.asOperator { try await copy() } }

    private func copy() async throws {
        // A file that reaches the limit of its size is an error of that write, as a full disk is.
        IgnoredSignals.add(SIGXFSZ)
        let storage = try options.configuration.settings().storage
        let tables = try StoreTables(of: Wing.all)
        let source = try Self.store(from, "--from", storage, tables)
        let target = try Self.store(to, "--to", storage, tables)
        source.keepTemporaryFiles()
        let now = WallClock.now.seconds
        let masterKey = try masterKey(storage, source)
        let loop = try EventLoop(label: "store")
        loop.start()
        defer { loop.stop() }
        do throws(StoreCopyError) {
            let unlock = KeyRing.unlocker(masterKey: masterKey, now: now)
            let outcome = try await Self.copy(source, target, unlock, loop, now: now)
            report.write(Self.document(outcome), Self.text(outcome, target.place))
        } catch {
            throw StoreOptions.fail(Self.text(error, from: source.place, to: target.place))
        }
    }

    private static func store(
        _ text: String, _ option: String, _ storage: Settings.Storage, _ tables: StoreTables
    ) throws -> CopiedStore {
        do throws(CopiedStore.Fault) {
            return try CopiedStore(text, storage, tables)
        } catch {
            throw StoreOptions.fail("\(option) \(error)")
        }
    }

    private func masterKey(_ storage: Settings.Storage, _ source: CopiedStore) throws -> SymmetricKey {
        guard let path = masterKeyFile ?? storage.masterKeyFile ?? source.keyFile else {
            throw StoreOptions.fail("name the master key: --master-key-file, or storage.masterKeyFile")
        }
        do throws(MasterKey.ReadError) {
            return try MasterKey.load(path: path, madeWith: nil)
        } catch {
            throw StoreOptions.fail("\(StartError.masterKey(error))")
        }
    }

    private static func copy(
        _ from: CopiedStore, _ to: CopiedStore, _ unlock: @escaping KeyRingUnlocker, _ loop: EventLoop, now: Int64
    ) async throws(StoreCopyError) -> StoreCopyOutcome {
        let source: any SQLStore
        do throws(RepositoryError) {
            source = try await from.open(as: .source(unlock), on: loop, now: now)
        } catch {
            throw .source(error)
        }
        let target: any SQLStore
        do throws(RepositoryError) {
            target = try await to.open(as: .target, on: loop, now: now)
        } catch {
            await source.close()
            throw .target(error, table: nil)
        }
        let copied = ProgressReport("rows copied")
        let checked = ProgressReport("rows compared")
        let copier = StoreCopier(from: source, to: target, now: now) { progress in
            switch progress {
            case .copied(let done, let total): copied.tell(done, of: total)
            case .checked(let done, let total): checked.tell(done, of: total)
            }
        }
        let result: Result<StoreCopyOutcome, StoreCopyError>
        do throws(StoreCopyError) {
            let outcome = try await copier.run()
            // In the copy, for the source stays as it is.
            do throws(RepositoryError) {
                try await target.note(.storeCopied, of: nil, [], now: now)
            } catch {
                throw .target(error, table: nil)
            }
            result = .success(outcome)
        } catch {
            result = .failure(error)
        }
        await target.close()
        await source.close()
        return try result.get()
    }

    private static func document(_ outcome: StoreCopyOutcome) -> JSONValue {
        [
            "users": .integer(Int64(outcome.users)), "rows": .integer(Int64(outcome.rows)),
            "rows_already_there": .integer(Int64(outcome.alreadyThere)),
        ]
    }

    private static func text(_ outcome: StoreCopyOutcome, _ place: String) -> String {
        let before = outcome.alreadyThere > 0 ? ", \(outcome.alreadyThere) of them by a run before this one" : ""
        return """
            \(outcome.users) users are copied, in \(outcome.rows) rows\(before). All of them were read again, and are the same.
            Serve \(place) from now on, with the same master key, and never the other again.

            """
    }

    private static func text(_ error: StoreCopyError, from source: String, to target: String) -> String {
        switch error {
        case .source(.notOpened(.inUse)):
            "nothing was copied: a server or a command has the database \(source) open; stop it first"
        case .source(let error): "not copied: \(StartError.storage(place: source, error))"
        case .targetInUse, .target(.notOpened(.notEmpty), _):
            "nothing was copied: there is something in \(target) already, and nothing is overwritten"
        case .otherSource:
            """
            nothing was copied: what is in \(target) is the beginning of a copy of another store, or of \(source) before it was \
            used again; remove it first
            """
        case .target(.notOpened(.inUse), _):
            "nothing was copied: a server or a command has the database \(target) open; stop it first"
        case .target(.unstorableText, let table):
            """
            not copied: a text among the rows of \(table ?? "a table") of \(source) has a NUL or is not UTF-8, which an earlier version \
            kept and \(target) can't; put it right there, empty \(target), and copy anew
            """
        case .target(let error, let table):
            "not copied to the end\(table.map { ", but to the rows of \($0)" } ?? ""): "
                + "\(StartError.storage(place: target, error)). The same command goes on from there"
        case .different(let table):
            """
            the copy is no good: in \(table), \(target) differs from \(source). One of them was used meanwhile, or the copy was \
            begun before the other was used again; empty \(target), and copy anew
            """
        }
    }
}
