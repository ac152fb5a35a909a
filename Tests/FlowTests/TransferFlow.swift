import Accounts
import AccountsSQL
import AccountsSQLite
import Crypto
import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import Testing

@testable import Composition
@testable import Operations

/// An app at Apple, about to move to another team.
struct TransferFlow {
    let gatehouse: RunningGatehouse
    let apple: AppleStub
    private let plain: [String]

    /// - Parameter isApple: whether the server knows the provider as Apple; the command always does.
    static func with(isApple: Bool = true, _ body: (TransferFlow) async throws -> Void) async throws {
        let apple = try await AppleStub()
        let file = FileManager.default.temporaryDirectory.appending(path: "apple-\(UUID().uuidString).p8")
        let key = try PrivateKey.generate(.ellipticCurve(.p256))
        try Data(key.pemRepresentation().revealedBytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let client =
            ["issuer: '\(apple.issuer)'", "clientID: \(AppleStub.clientID)", "requirePKCE: false"]
            + ["codeNonce: optional"]
        let plain =
            client + [
                "clientSecret: ''", "clientAuthentication: apple", "appleTeamID: OLDTEAM001", "appleKeyID: KEY0000001",
                "clientKeyFile: '\(file.path)'",
            ]
        do {
            try await RunningGatehouse.with(plain: isApple ? plain : client) { gatehouse in
                try await body(TransferFlow(gatehouse: gatehouse, apple: apple, plain: plain))
            }
        } catch {
            await apple.stop()
            throw error
        }
        await apple.stop()
    }

    /// Signs somebody in.
    ///
    /// - Parameter former: the `transfer_sub` of the ID token.
    func signIn(_ subject: String, former: String? = nil) async throws -> HTTPTestAnswer {
        // Each code is another.
        let code = [subject, former, UUID().uuidString].compactMap(\.self).joined(separator: " ")
        return try await gatehouse.post(
            "/auth/signin",
            [
                "client_id": .string(AppleStub.clientID), "code": .string(code),
                "redirect_uri": "com.example.app:/callback",
            ])
    }

    /// Users who have not signed in by here yet: `person-0` and so on.
    func addUsers(_ count: Int) async throws {
        let users = (0..<count).map { number in
            let subject = Subject(issuer: apple.issuer, value: "person-\(number)")
            return ImportedUser(
                reference: "r\(number)", profile: Profile(), createdAt: 0,
                identities: [ImportedUser.Identity(provider: "plain", subject: subject, emailStoppedAt: nil)])
        }
        _ = try await gatehouse.server.repository.importUsers(users, now: 0)
    }

    /// `gatehouse providers transfer`, beside the server.
    ///
    /// - Parameter lines: what the configuration says otherwise by now.
    func transfer(
        _ arguments: String..., provider: String = "plain", to team: String = "NEWTEAM001", input: String? = nil,
        changing lines: [String] = []
    ) async throws -> CommandRun {
        let file = gatehouse.folder.appending(path: "transfer-\(UUID().uuidString).yaml")
        let changed = Set(lines.map { $0.prefix { $0 != ":" } })
        let section = plain.filter { !changed.contains($0.prefix { $0 != ":" }) } + lines
        let yaml = RunningGatehouse.yaml(gatehouse.simulation, gatehouse.folder, plain: section)
        try Data(yaml.utf8).write(to: file)
        return try await CommandRun(
            ["providers", "transfer", provider, "--target", team, "--config", file.path] + arguments, input: input)
    }
}
