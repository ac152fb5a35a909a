import Accounts
import ArgumentParser
import Composition
import JSON
import SignIn
internal import System

/// `gatehouse sessions …`.
struct SessionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "End sessions.", discussion: "It works beside a running server.",
        subcommands: [SessionsEnd.self])
}

/// The end of one session, or of all of an app, of a provider, of everybody.
struct SessionsEnd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end", abstract: "End one session, or all of an app, of a provider, or of everybody.",
        discussion: "They are over at once, at every instance, and so is what is under way to become one.")

    @Option(help: "One session, by its name.")
    var session: String?
    @Option(help: "All of an app of ours, by its client identifier.")
    var app: String?
    @Option(help: "All that came of a provider, by its name in the configuration.")
    var provider: String?
    @Flag(help: "Everybody's.")
    var all = false
    @Flag(help: "The users must authenticate anew at their provider, whenever they come back.")
    var reauthenticate = false
    @OptionGroup var report: ReportOptions
    @OptionGroup var options: StoreOptions

    func validate() throws {
        guard [session != nil, app != nil, provider != nil, all].count(where: { $0 }) == 1 else {
            throw ValidationError("Give one of --session, --app, --provider and --all.")
        }
        if let session, SessionID(session) == nil {
            throw ValidationError("--session has \(session.utf8.count) characters; a session's name has 32, 0 to f.")
        }
    }

    func run() async throws {
        try await options.withStore { store, _, clock in
            let ended: Int
            if let session = session.flatMap({ SessionID($0) }) {
                guard try await store.repository.revokeSession(session, now: clock.seconds) else {
                    StandardError.write("gatehouse: there is no such session\n")
                    throw ExitCode(1)
                }
                ended = 1
            } else {
                let scope = app.map(SessionScope.app) ?? provider.map(SessionScope.provider) ?? .everybody
                ended = try await store.repository.endAll(scope, reauthenticate: reauthenticate, clock)
            }
            report.write(
                ["sessions_ended": .integer(Int64(ended))],
                ended == 1 ? "1 session has ended.\n" : "\(ended) sessions have ended.\n")
        }
    }
}
