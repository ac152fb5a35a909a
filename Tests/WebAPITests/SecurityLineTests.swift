import Accounts
import HTTPServer
import HTTPTesting
import JSON
import Logging
import Providers
import SignIn
import System
import Telemetry
import TestSupport
import Testing

@testable import WebAPI

@Suite struct `Lines for who watches over the service` {
    @Test func `tell of a refresh token that was used again, at warning, with its session`() async throws {
        let app = try await APIStage()
        let signedIn = await app.signIn()
        let stolen = try #require(signedIn.json["refresh_token"]?.string)
        func refresh(_ token: String) async -> HTTPTestAnswer {
            await app.post("/auth/token", form: "grant_type=refresh_token&refresh_token=\(token)")
        }
        let second = try #require(await refresh(stolen).json["refresh_token"]?.string)
        _ = await refresh(second)
        app.stage.pass(seconds: 3600)
        #expect(await refresh(stolen).status == 401)
        let line = try #require(app.log.lines.first { $0.values["security"] == "true" })
        #expect(line.level == .warning)
        #expect(line.message == "a refresh token was used again after its successor: its session has ended")
        #expect(line.values["reason"] == "invalid_grant" && line.values["network"]?.hasSuffix("/24") == true)
        #expect(!app.log.text.contains(stolen) && !app.log.text.contains(second))
    }

    @Test func `tell of each wrong admin token, with where it came from`() async throws {
        let admin = try await AdminStage()
        for _ in 0..<3 {
            #expect(await admin.send(.get, "/admin/users", headers: bearer("a-wrong-admin-token")).status == 401)
        }
        let lines = admin.log.lines.filter { $0.values["security"] == "true" }
        #expect(lines.map(\.level) == [.warning, .warning, .warning])
        #expect(lines.allSatisfy { $0.values["network"]?.hasSuffix("/24") == true })
        #expect(!admin.log.text.contains("a-wrong-admin-token"))
    }

    @Test func `tell nothing of what goes wrong every day`() async throws {
        for error in [.invalidToken, .invalidGrant(.refusedByProvider), .providerUnavailable, .unknownPath]
            as [ServiceError]
        {
            #expect(error.securityMessage == nil)
        }
    }
}

@Suite struct `What sign-ins say of a provider` {
    @Test(
        arguments: [
            (nil, .code, .well), (.providerTimeout, .native, .failed),
            (.invalidIDToken(.signature), .code, .failed), (.invalidIDToken(.issuedAt), .browser, .failed),
            (.invalidIDToken(.signature), .native, .nothing), (.invalidIDToken(.nonce), .code, .nothing),
            (.invalidGrant(.refusedByProvider), .code, .nothing), (.accessDenied, .browser, .nothing),
            (.storageUnavailable(.diskFull), .code, .nothing), (.userinfoMismatch, .code, .failed),
        ] as [(ServiceError?, SignInKind, ProviderVerdict)])
    func `is what was up to it`(error: ServiceError?, kind: SignInKind, verdict: ProviderVerdict) {
        #expect(ProviderVerdict(error, kind) == verdict)
    }

    @Test func `is counted with each sign-in, and why the last one failed`() async throws {
        let app = try await APIStage()
        _ = await app.signIn()
        try app.stage.answerToken { $0.header[setting: "kid"] = "another-kid" }
        for number in 0..<20 { _ = await app.signIn([("code", .string("another-\(number)"))]) }
        let health = app.stage.provider.outcomes.health(now: .now, wall: app.stage.now)
        #expect(health.state == .failing && health.counts.failed == 20 && health.counts.done == 1)
        #expect(health.lastReason?.hasPrefix("invalid_id_token: ") == true)
    }
}
