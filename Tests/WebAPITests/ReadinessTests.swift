import Accounts
import EventLoop
import HTTPClient
import HTTPServer
import HTTPTesting
import JSON
import Patience
import Providers
import SignIn
import Syntax
import System
import TestSupport
import Testing

@testable import WebAPI

@Suite struct `Readiness` {
    @Test func `readiness is there when the store takes writes and the keys open`() async throws {
        let admin = try await AdminStage()
        let answer = await admin.send(.get, "/readyz")
        #expect(answer.status == 200)
        #expect(
            answer.json == [
                "status": "ok", "checks": ["store": "ok", "signing_keys": "ok"],
                "providers": [
                    "zenkey": ["state": "ok", "failed": 0, "of": 0], "plain": ["state": "ok", "failed": 0, "of": 0],
                ],
                "store": answer.json["store"] ?? .null,
            ])
        #expect(answer.json["store"]?["state"] == "ok" && answer.json["store"]?["failed"] == 0)
    }

    @Test func `readiness is told without a token, and what it is made of is not`() async throws {
        let admin = try await AdminStage()
        let ready = await admin.send(.get, "/readyz", headers: [])
        #expect(ready.status == 200)
        #expect(ready.json == ["status": "ok"])
        let unready = try await AdminStage()
        await unready.stage.repository.close()
        let answer = await unready.send(.get, "/readyz", headers: [])
        #expect(answer.status == 503)
        #expect(answer.json["status"] == "unavailable")
        #expect(answer.error == "storage_unavailable")
        #expect(answer.json["checks"] == nil && answer.json["providers"] == nil)
        #expect(await unready.send(.get, "/readyz", headers: bearer("a-wrong-admin-token")).status == 401)
    }

    @Test func `tells how sign-ins at providers go, by what came of them, and is there all the same`() async throws {
        let admin = try await AdminStage()
        // No call is made where a document that failed is remembered: the breaker knows nothing of it.
        for _ in 0..<150 { admin.stage.provider.outcomes.noteFailure("provider_unavailable: keys: status 500") }
        admin.plain.outcomes.noteDone()
        let answer = await admin.send(.get, "/readyz")
        #expect(answer.status == 200)
        let zenkey = answer.json["providers"]?["zenkey"]
        #expect(zenkey?["state"] == "down" && zenkey?["failed"] == 150 && zenkey?["of"] == 150)
        #expect(zenkey?["last_reason"] == "provider_unavailable: keys: status 500")
        #expect(zenkey?["since"] == .integer(admin.stage.now))
        #expect(answer.json["providers"]?["plain"] == ["state": "ok", "failed": 0, "of": 1])
    }

    @Test func `ends with the store, in the shape of all errors`() async throws {
        let admin = try await AdminStage()
        await admin.stage.repository.close()
        let answer = await admin.send(.get, "/readyz")
        #expect(answer.status == 503)
        #expect(answer.json["status"] == "unavailable")
        #expect(answer.json["checks"] == ["store": "it is closed"])
        #expect(answer.error == "storage_unavailable")
        #expect(answer.json["error_code"] == "storage_unavailable")
        #expect(answer.json["request_id"] == "request-1")
    }

    /// On a busy machine a look takes longer than its caller waits for it, and the last one counts until then.
    private func expect(
        _ state: ServiceReadiness.State, of readiness: ServiceReadiness, at now: MonotonicTime
    ) async throws {
        try await eventually("\(state)") { await readiness.state(now: now) == state }
    }

    @Test func `readiness is looked at once a second`() async throws {
        let stage = try await SignInStage()
        let readiness = ServiceReadiness(repository: stage.repository, clock: stage.clock, elapsed: { _ in .zero })
        let now = MonotonicTime.now
        try await expect(.ready(signingKeys: 1), of: readiness, at: now)
        await stage.repository.close()
        try await expect(.ready(signingKeys: 1), of: readiness, at: now)
        try await expect(.failing(.unavailable(.closed)), of: readiness, at: now + .seconds(3600))
    }

    /// A disk that is full has room for a small row that is there already, and for no user.
    @Test func `ends while more writes fail than are done, whatever a small one says`() async throws {
        let stage = try await SignInStage()
        let readiness = ServiceReadiness(repository: stage.repository, clock: stage.clock, elapsed: { _ in .zero })
        let (now, outcomes) = (MonotonicTime.now, stage.repository.outcomes)
        try await expect(.ready(signingKeys: 1), of: readiness, at: now)
        // One connection's trouble, and others in the way, are no trouble of the store's.
        for error in [RepositoryError.unavailable(.uncertain), .unavailable(.locked), .unavailable(.locked)] {
            outcomes.note(error)
        }
        try await expect(.ready(signingKeys: 1), of: readiness, at: now + .seconds(2))
        for _ in 0..<3 { outcomes.note(.unavailable(.diskFull)) }
        try await expect(.failing(.unavailable(.diskFull)), of: readiness, at: now + .seconds(4))
        // Nobody sends anything any more, and so nothing fails. The look of before may have seen the failures already.
        try await expect(.failing(.unavailable(.diskFull)), of: readiness, at: now + .milliseconds(4900))
        try await expect(.ready(signingKeys: 1), of: readiness, at: now + .seconds(12))
        for _ in 0..<3 { outcomes.note(.unavailable(.diskFull)) }
        outcomes.noteDone(100)
        try await expect(.ready(signingKeys: 1), of: readiness, at: now + .seconds(14))
    }

    /// Behind thousands of sign-ins a look takes seconds.
    @Test func `stays while real writes are done, whatever a look would say`() async throws {
        let stage = try await SignInStage()
        let readiness = ServiceReadiness(repository: stage.repository, clock: stage.clock, elapsed: { _ in .zero })
        let (now, outcomes) = (MonotonicTime.now, stage.repository.outcomes)
        try await expect(.ready(signingKeys: 1), of: readiness, at: now)
        await stage.repository.close()
        for second in [2, 4] as [Int64] {
            outcomes.noteDone()
            #expect(await readiness.state(now: now + .seconds(second)) == .ready(signingKeys: 1))
        }
        try await expect(.failing(.unavailable(.closed)), of: readiness, at: now + .seconds(6))
    }

    @Test func `ends when the server is told to stop`() async throws {
        let admin = try await AdminStage()
        await admin.readiness.drain()
        let answer = await admin.send(.get, "/readyz")
        #expect(answer.status == 503)
        #expect(answer.json["status"] == "draining")
        #expect(answer.error == "overloaded")
    }
}
