import Accounts
import ArgumentParser
import Composition
import JSON
internal import SignIn
internal import System

/// Two users become one.
struct UsersMerge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge", abstract: "Make one user of two: the first stays, the second becomes part of it.",
        discussion: """
            The second one's identities become the first one's, on probation, with what belongs to them; its sessions end. \
            Nobody has its number any more, and nothing takes that back. Without --yes it only says what would come of it. \
            Refused while either is locked. Be sure that both are one person: --reason tells later why you were.
            """)

    @Argument(help: "The number of the user who stays.")
    var keep: Int64
    @Argument(help: "The number of the user who becomes part of that one.")
    var absorb: Int64
    @Flag(help: "Really merge.")
    var yes = false
    @OptionGroup var report: ReportOptions
    @OptionGroup var options: StoreOptions

    func run() async throws {
        try await options.withStore(looksAtSomebody: !yes) { store, _, clock in
            guard yes else {
                for id in [keep, absorb] {
                    let record = try await store.record(of: id, now: clock.seconds)
                    try await store.repository.note(.userViewed, of: record.user.id, [], now: clock.seconds)
                }
                report.write(
                    ["user_id": .integer(keep), "merged_user_id": .integer(absorb), "merged": false],
                    "User \(absorb) would become part of user \(keep). Nothing was merged; --yes does it.\n")
                return
            }
            let outcome = try await store.repository.merge(
                MergeRecord(
                    .operator(kept: UserID(rawValue: keep), absorbed: UserID(rawValue: absorb)), line: clock.line,
                    now: clock.seconds))
            guard case .merged(let merged) = outcome else { throw Self.refused(outcome) }
            report.write(
                [
                    "user_id": .integer(keep), "merged_user_id": .integer(absorb), "merged": true,
                    "identity_ids": .array(merged.identities.map { .integer($0.rawValue) }),
                ],
                "User \(absorb) is part of user \(keep) now: identities \(merged.identities.count).\n")
        }
    }

    private static func refused(_ outcome: MergeOutcome) -> ExitCode {
        switch outcome {
        case .merged, .noSuchUser: return UsersCommand.noSuchUser()
        case .sameUser: StandardError.write("gatehouse: that is one user already\n")
        case .bothInDirectory:
            StandardError.write("gatehouse: both have an account in the directory of the same provider\n")
        case .refused: StandardError.write("gatehouse: one of them is locked, or one of their identities is\n")
        }
        return ExitCode(1)
    }
}
