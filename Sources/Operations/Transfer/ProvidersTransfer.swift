import Accounts
import AccountsSQLite
import ArgumentParser
import Composition
import EventLoop
import HTTPClient
import Providers
import Settings
import SignIn
internal import System

/// `gatehouse providers transfer NAME`.
struct ProvidersTransfer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer",
        abstract: "Note by what users will be known once an app has moved to another team at Apple.",
        discussion: """
            Users' subjects are each team's own. Run this before the app moves, while the configuration still has the \
            key of the team that it leaves: Apple is asked about each user (transfer_sub), and the answers are kept \
            hashed. A user who then signs in through the new team, within 60 days of the move, keeps the account. The \
            provider's section keeps its name; its appleTeamID, appleKeyID and key change with the move.

            Stopped and run again, it goes on where it was, and asks once more about those whom Apple told nothing of. \
            With --from, a file tells instead, a line {"sub":"…","transfer_sub":"…"} each; nothing of it is stored \
            when a line is bad. Exits 1 when something is missing at the end.
            """)

    private static let teamIDLength = 10

    @Argument(help: "The provider's name in the configuration.")
    var name: String
    @Option(help: "The team that the app moves to: the ten characters of its developer account.")
    var target: String
    @Option(help: "A file of what Apple has told already; - for standard input.")
    var from: String?
    @OptionGroup var report: ReportOptions
    @OptionGroup var options: StoreOptions

    func run() async throws {
        guard target.utf8.count == Self.teamIDLength, target.utf8.allSatisfy({ Self.isOfTeamID($0) }) else {
            throw StoreOptions.fail("A team at Apple has ten characters, A to Z and 0 to 9.")
        }
        try await options.withStore { store, settings, clock in
            let provider = try provider(of: settings)
            let summary =
                if let from {
                    try await note(from, at: provider, store)
                } else {
                    try await ask(about: provider, store, clock)
                }
            try await store.repository.note(.usersTransferred, of: nil, [name], now: clock.seconds)
            report.write(summary.document, summary.text)
            guard summary.isComplete else { throw ExitCode(1) }
        }
    }

    private static func isOfTeamID(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
    }

    private func provider(of settings: Settings) throws -> Provider {
        guard let found = settings.provider(named: name) else {
            throw StoreOptions.fail("No provider is called \(name).")
        }
        guard found.takesTransfers else {
            throw StoreOptions.fail("\(name) is not Apple: only with clientAuthentication apple are users transferred.")
        }
        if from == nil, found.authentication.appleTeamID == target {
            throw StoreOptions.fail(
                "\(target) is the appleTeamID of \(name) already: the team that the app leaves is the one that can ask."
            )
        }
        return Provider(found)
    }

    private func note(_ file: String, at provider: Provider, _ store: OpenStore) async throws -> TransferSummary {
        let folder = store.folder
        let source = try ImportSource(path: file, spoolingIn: folder.isEmpty ? "/" : folder)
        guard let transfer = TeamTransfer(to: target, at: provider) else {
            throw StoreOptions.fail("\(name) has no issuer of its own, so a file can't tell whose subjects it has.")
        }
        let list = TransferFile(source: source, issuer: transfer.issuer)
        return try await list.store(of: transfer, in: store.repository)
    }

    private func ask(about provider: Provider, _ store: OpenStore, _ clock: Clock) async throws -> TransferSummary {
        guard let transfer = TeamTransfer(to: target, at: provider) else {
            throw StoreOptions.fail("\(name) has no issuer of its own whose users could be asked about.")
        }
        let loop = try EventLoop(label: "transfer")
        loop.start()
        defer { loop.stop() }
        let client = HTTPClient(loop: loop)
        do {
            let summary = try await TransferWalk(
                repository: store.repository, provider: provider, transfer: transfer, transport: client, clock: clock
            ).run()
            await client.shutDown()
            return summary
        } catch {
            await client.shutDown()
            throw error
        }
    }
}

extension TeamTransfer {
    /// - Returns: nil where the provider has no issuer of its own.
    init?(to team: String, at provider: Provider) {
        guard let issuer = provider.configuration.issuerSource.issuer else { return nil }
        self.init(provider: provider.configuration.name, issuer: provider.currentName(of: issuer), team: team)
    }
}
