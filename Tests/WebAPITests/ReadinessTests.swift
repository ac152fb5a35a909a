import Accounts
import EventLoop
import HTTPClient
import HTTPServer
import HTTPTesting
import JSON
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
                "providers": ["zenkey": "closed", "plain": "closed"],
            ])
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

    @Test func `tells how providers do, and is there all the same`() async throws {
        let admin = try await AdminStage()
        let url = try EndpointURL("https://id.carrier.example/token", allowLoopbackHTTP: false)
        for _ in 0..<admin.stage.provider.configuration.circuit.failures {
            _ = admin.stage.provider.circuits.admit(url, now: .now)
            admin.stage.provider.circuits.report(url, isAnswered: false, now: .now)
        }
        let answer = await admin.send(.get, "/readyz")
        #expect(answer.status == 200)
        #expect(answer.json["providers"] == ["zenkey": "open", "plain": "closed"])
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

    @Test func `readiness is looked at once a second`() async throws {
        let stage = try await SignInStage()
        let readiness = ServiceReadiness(repository: stage.repository, clock: stage.clock)
        let now = MonotonicTime.now
        #expect(await readiness.state(now: now) == .ready(signingKeys: 1))
        await stage.repository.close()
        #expect(await readiness.state(now: now) == .ready(signingKeys: 1))
        #expect(await readiness.state(now: now + .seconds(3600)) == .failing(.unavailable(.closed)))
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
