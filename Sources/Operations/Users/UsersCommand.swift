import Accounts
import AccountsSQL
import AccountsSQLite
import ArgumentParser
import Composition

/// `gatehouse users …`.
struct UsersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users", abstract: "List, find, export, lock, merge and erase users.",
        discussion: "All of it works beside a running server.",
        subcommands: [
            UsersList.self, UsersShow.self, UsersFind.self, UsersExport.self, UsersErase.self,
            UsersLock.self, UsersUnlock.self, UsersUnlink.self, UsersSignOut.self, UsersMerge.self, UsersDoubles.self,
        ])

    /// Tells that there is no such user.
    static func noSuchUser() -> ExitCode {
        StandardError.write("gatehouse: there is no such user\n")
        return ExitCode(1)
    }
}

extension OpenStore {
    /// Everything that is kept about a user.
    ///
    /// - Throws: `ExitCode`, after it was told that there is no such user; `RepositoryError`.
    func record(of user: Int64, now: Int64) async throws -> UserRecord {
        guard let record = try await repository.record(of: UserID(rawValue: user), now: now) else {
            throw UsersCommand.noSuchUser()
        }
        return record
    }
}
