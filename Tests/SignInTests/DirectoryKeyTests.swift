import Accounts
import Crypto
import JSON
import Providers
import Syntax
import Testing

@testable import SignIn

@Suite struct `What a sign-in shows of an account in a directory` {
    private static func api(_ version: UserAPI.Version) throws -> UserAPI {
        UserAPI(
            url: try EndpointURL(configured: "https://api.example.com/v1"), access: .token(Secret("token")),
            binding: version == .v1
                ? UserAPI.Binding(authenticatorConfigID: "config", postBindingRedirectURI: nil) : nil,
            authenticatorURL: "", returnsLinks: false,
            limits: UserAPI.Limits(mailsPerHour: 1, pending: 1, unfinishedSeconds: 1))
    }

    private func key(
        _ version: UserAPI.Version, idToken: JSONValue = [:], userinfo: JSONValue? = nil, subject: String = "sub"
    ) throws -> PersonKey? {
        DirectoryKey.of(try Self.api(version), idToken: idToken, userinfo: userinfo, subject: subject)
    }

    @Test func `in 2021 it is the external identifier, wherever that stands`() throws {
        let ours = PersonKey.externalID(DirectoryKey.externalHash("ours"))
        #expect(try key(.of2021, userinfo: ["external_id": "ours"]) == ours)
        #expect(try key(.of2021, idToken: ["external_id": "ours"], userinfo: ["external_id": "ours"]) == ours)
        #expect(try key(.of2021, idToken: ["external_id": "ours"], userinfo: ["external_id": "other"]) == nil)
    }

    @Test func `in 2021 it is the subject where nothing else is said, since that is what we called the account`() throws
    {
        #expect(try key(.of2021, subject: "ours") == .externalID(DirectoryKey.externalHash("ours")))
        #expect(
            try key(.of2021, userinfo: ["email": "j@example.com"], subject: "ours")
                == .externalID(DirectoryKey.externalHash("ours")))
    }

    @Test(arguments: [7 as JSONValue, true, .null, "", [], ["ours"], .string(String(repeating: "x", count: 256))])
    func `it is nothing when it is no text that can be one, in either place`(value: JSONValue) throws {
        #expect(try key(.of2021, idToken: ["external_id": value], subject: "ours") == nil)
        #expect(try key(.of2021, userinfo: ["external_id": value], subject: "ours") == nil)
        #expect(try key(.v1, userinfo: ["id": value, "preferred_username": "jane"], subject: "ours") == nil)
    }

    @Test func `in version 1 it is the identity's id, and the subject only where that is no name a user has chosen`()
        throws
    {
        #expect(try key(.v1, userinfo: ["id": "d-1"]) == .directoryID(DirectoryKey.directoryHash("d-1")))
        #expect(
            try key(.v1, userinfo: ["preferred_username": "jane"], subject: "d-1")
                == .directoryID(DirectoryKey.directoryHash("d-1")))
        #expect(try key(.v1, userinfo: ["preferred_username": "d-1"], subject: "d-1") == nil)
        #expect(try key(.v1, userinfo: [:], subject: "d-1") == nil)
        #expect(try key(.v1, subject: "d-1") == nil)
    }

    @Test func `an external identifier is never taken for a directory's own, whatever it reads`() {
        #expect(DirectoryKey.externalHash("x") != DirectoryKey.directoryHash("x"))
    }
}
