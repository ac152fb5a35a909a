import Accounts
import AccountsSQL
import AccountsSQLite
import ArgumentParser
import Composition
import Glibc
import Settings
import SignIn
internal import System
import Wings

/// What every command takes that works on the store, beside a running server or without one.
struct StoreOptions: ParsableArguments {
    /// How long a store is asked for that is to go on.
    private static let recoveryPatience = Duration.seconds(60)

    @OptionGroup var configuration: ConfigurationOptions
    @Option(
        help: ArgumentHelp(
            "Why you do this, for the audit trail; needed for looks at a person where admin.reasons demands it.",
            valueName: "text"))
    var reason: String?

    /// Opens the store, does something with it, and closes it. What goes wrong is told on standard error, with status
    /// 1. The settings are those that the store means by them. The audit trail records what is done as done by the
    /// person who runs the command.
    ///
    /// - Parameter looksAtSomebody: whether it is a look at a person, which may take a reason.
    func withStore(
        looksAtSomebody: Bool = false, for use: OpenStore.Use = .tool,
        _ body: (OpenStore, Settings, Clock) async throws -> Void
    ) async throws {
        let why = try checkedReason()
        try await CommandLineOrigin.bind(because: why) {
            try await withOpenStore(demandsReason: looksAtSomebody && why == nil, for: use, body)
        }
    }

    /// Has the audit trail record what is done as done by the person who runs the command.
    func asOperator<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await CommandLineOrigin.bind(because: try checkedReason(), body)
    }

    private func checkedReason() throws -> AuditReason? {
        do throws(AuditReason.Fault) {
            return try reason.map { text throws(AuditReason.Fault) in try AuditReason(text) }
        } catch {
            throw Self.fail("the reason \(error)")
        }
    }

    private func withOpenStore(
        demandsReason: Bool, for use: OpenStore.Use, _ body: (OpenStore, Settings, Clock) async throws -> Void
    ) async throws {
        // A file that reaches the limit of its size is an error of that write, as a full disk is.
        IgnoredSignals.add(SIGXFSZ)
        let settings = try configuration.settings()
        if demandsReason, settings.admin.reasons == .required {
            throw Self.fail("say why, with --reason: admin.reasons demands it for a look at a person")
        }
        OpenStore.keepTemporaryFiles(beside: settings.storage)
        let common = CommonClock(limitSeconds: Int64(settings.storage.clockSkewSeconds))
        let clock = Clock(reading: { .now }, common: common)
        let store: OpenStore
        do throws(StartError) {
            store = try await Self.opened(settings, for: use, now: clock.seconds)
        } catch {
            throw Self.fail("\(error)")
        }
        do {
            try await store.repository.look(at: common)
            try await body(store, try await store.meaning(of: settings).settings, clock)
        } catch {
            await store.close()
            throw Self.told(error, store.place)
        }
        await store.close()
    }

    /// Opens the store. One that is to go on has instances that press for connections, so it is asked again for a
    /// while: nothing is changed before it is open.
    private static func opened(
        _ settings: Settings, for use: OpenStore.Use, now: Int64
    ) async throws(StartError) -> OpenStore {
        let end = MonotonicTime.now + recoveryPatience
        while true {
            do throws(StartError) {
                return try await OpenStore.open(
                    settings.storage, tables: StoreTables(of: Wing.all),
                    formerIssuers: FormerIssuers(settings.providers), for: use, now: now)
            } catch {
                guard case .recovery = use, case .storage(_, .unavailable(_)) = error, MonotonicTime.now < end else {
                    throw error
                }
            }
            try? await Task.sleep(for: .seconds(1))
        }
    }

    /// Tells of an error that is not told yet.
    static func told(_ error: any Error, _ path: String) -> any Error {
        switch error {
        case let error as RepositoryError: fail("\(StartError.storage(place: path, error))")
        case let error as SessionKeys.LoadError:
            if case .repository(let error) = error {
                fail("\(StartError.storage(place: path, error))")
            } else {
                fail("\(StartError.sessionKeys(error))")
            }
        case let error as FileError: fail("\(error)")
        case let error as StartError: fail("\(error)")
        case let error as MasterKeyChanger.ChangeError: fail("\(error)")
        default: error
        }
    }

    /// Tells why it can't be done, with status 1.
    static func fail(_ sentence: String) -> ExitCode {
        StandardError.write("gatehouse: \(sentence)\n")
        return ExitCode(1)
    }
}

extension ConfigurationOptions {
    /// - Throws: `ExitCode`, after every fault was told.
    func settings() throws -> Settings {
        switch Settings.loadOfProcess(file: file, wings: Wing.all.map(\.settings)) {
        case .valid(let settings, _, _): return settings
        case .faulty(let faults, _):
            StandardError.write(SettingsReport.text(faults, notices: []))
            throw ExitCode(1)
        }
    }
}
