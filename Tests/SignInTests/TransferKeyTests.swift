import Accounts
import JSON
import Providers
import TestSupport
import Testing

@testable import SignIn

@Suite struct `A transfer_sub in a sign-in` {
    private static let issuer = "https://carrier.example"
    private static let transfer = TeamTransfer(provider: "openid", issuer: issuer, team: "NEWTEAM001")

    /// Apple, and beside it a provider of the same issuer that is not known as Apple.
    private func stage(
        takesTransfers: Bool = true, _ change: @escaping (inout ProviderConfiguration) -> Void = { _ in }
    ) async throws -> SignInStage {
        try await SignInStage {
            $0.name = "openid"
            $0.issuerSource = .configured(issuer: Self.issuer)
            $0.takesTransfers = takesTransfers
            change(&$0)
        }
    }

    private func signIn(
        _ stage: SignInStage, subject: JSONValue, transfer: JSONValue? = nil, userinfo: JSONValue? = nil
    ) async throws -> SignedIn {
        try stage.answerToken {
            $0.claims[setting: "sub"] = subject
            $0.claims[setting: "transfer_sub"] = transfer
        }
        stage.answerUserinfo(userinfo ?? ["sub": subject])
        let response = try stage.response(["code": "code \(UInt64.random(in: 0 ... .max))"])
        return try await stage.signInWithCode.signIn(
            response, with: stage.provider, userAgent: nil, replacing: nil, in: .unobserved
        )
        .signedIn
    }

    /// A user by the subject of the team that the app has left.
    private func former(_ stage: SignInStage, at issuer: String = issuer) async throws -> SignedIn {
        let signedIn = try await signIn(stage, subject: "old")
        let told = try #require(TransferSubject(in: ["transfer_sub": "the-transfer"]))
        let entry = SubjectTransfer(
            subject: Subject(issuer: issuer, value: "old"), hash: TransferKey.hash(of: told, at: issuer))
        var transfer = Self.transfer
        transfer.issuer = issuer
        #expect(try await stage.repository.noteTransfers([entry], of: transfer) == [.noted])
        return signedIn
    }

    @Test func `moves the user whom the former team was told about`() async throws {
        let stage = try await stage()
        let former = try await former(stage)
        let moved = try await signIn(stage, subject: "new", transfer: "the-transfer")
        #expect(moved.user == former.user && moved.migrated && !moved.isNewUser)
        #expect(try await signIn(stage, subject: "thief", transfer: "the-transfer").isNewUser)
    }

    @Test func `of a provider that is not Apple is a stranger's word`() async throws {
        let stage = try await stage(takesTransfers: false)
        _ = try await former(stage)
        #expect(try await signIn(stage, subject: "new", transfer: "the-transfer").isNewUser)
    }

    @Test func `counts in the ID token, and not in userinfo`() async throws {
        let stage = try await stage()
        _ = try await former(stage)
        let userinfo: JSONValue = ["sub": "new", "transfer_sub": "the-transfer"]
        #expect(try await signIn(stage, subject: "new", userinfo: userinfo).isNewUser)
    }

    @Test(arguments: [
        "" as JSONValue, 7, .null, ["the-transfer"], ["value": "the-transfer"], "the-transfer ", "The-Transfer",
        .string(String(repeating: "t", count: 256)),
    ])
    func `moves nobody when it is not that very text, and keeps nobody from signing in`(value: JSONValue) async throws {
        let stage = try await stage()
        let former = try await former(stage)
        #expect(try await signIn(stage, subject: "new", transfer: value).isNewUser)
        #expect(try await signIn(stage, subject: "old", transfer: value).user == former.user)
    }

    @Test func `is found under the present name of an issuer that has changed its own`() async throws {
        let stage = try await stage { $0.issuerAliases = [Self.issuer: "https://renamed.example"] }
        let former = try await former(stage, at: "https://renamed.example")
        #expect(try await signIn(stage, subject: "new", transfer: "the-transfer").user == former.user)
    }

    @Test func `is never handed to an app, and never shown in the profile`() async throws {
        let stage = try await stage()
        _ = try await former(stage)
        let moved = try await signIn(stage, subject: "new", transfer: "the-transfer")
        #expect(!"\(moved.profile.encoded)\(moved.profile)".contains("the-transfer"))
        let text = String(decoding: moved.profile.encoded, as: UTF8.self)
        #expect(!text.contains("the-transfer") && !text.contains("transfer_sub"))
    }

    @Test func `is another hash at another issuer, and none of a key that names a person`() throws {
        let told = try #require(TransferSubject(in: ["transfer_sub": "the-transfer"]))
        let hash = TransferKey.hash(of: told, at: Self.issuer)
        #expect(hash != TransferKey.hash(of: told, at: Self.issuer + "/"))
        let claims: JSONValue = ["transfer_sub": "the-transfer"]
        #expect(hash != CrossClientKey.hash(of: "transfer_sub", idToken: claims, userinfo: nil))
    }
}
