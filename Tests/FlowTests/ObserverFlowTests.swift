import GatehouseTesting
import HTTPTesting
import JSON
import Patience
import SimulatedCarriers
import Telemetry
import TestSupport
import Testing

@testable import Composition
@testable import Operations

@Suite struct `An observer` {
    private static let write = ["> queue", "< queue done", "> commit", "< commit done"]

    /// The steps of a request, with those in it.
    private static func request(_ route: String, _ inner: [String] = [], _ outcome: String = "done") -> [String] {
        ["> request \(route)"] + inner + ["< request \(route) \(outcome)"]
    }

    private static func bulkhead(_ provider: String, _ inner: [String] = []) -> [String] {
        ["> bulkhead \(provider)"] + inner + ["< bulkhead \(provider) done"]
    }

    /// Those of the use of a code, with a call for tokens, one for userinfo, and the transaction.
    private static let codeSignIn = bulkhead(
        "zenkey",
        ["token", "userinfo"].flatMap { ["> call zenkey \($0)", "< call zenkey \($0) done"] } + write)

    private func observed(
        _ top: String = "", plain: [String] = [], others: [String: [String]] = [:],
        _ body: (RunningGatehouse, StepRecorder) async throws -> Void
    ) async throws {
        let recorder = StepRecorder()
        try await RunningGatehouse.with(
            top: top, zenkey: LeavingFlow.patient, plain: plain, others: others, observers: Observers([recorder])
        ) { gatehouse in
            // Metadata and keys are fetched by the first, and known to those that follow.
            _ = try await gatehouse.signIn("ada")
            try await body(gatehouse, recorder)
        }
        #expect(recorder.openCount == 0)
    }

    @Test func `hears every step of a sign-in by code begin and end, in order and once`() async throws {
        try await observed { gatehouse, recorder in
            let code = try await gatehouse.authorize("ada")
            let signIn = try await recorder.during { _ = try await gatehouse.signIn(code) }
            #expect(signIn == Self.request("/auth/signin", Self.codeSignIn))
            let again = try await recorder.during {
                _ = try await gatehouse.signIn(code, ["correlation_id": "thief"])
            }
            #expect(again == Self.request("/auth/signin", Self.bulkhead("zenkey"), "failed: invalid_grant"))
        }
    }

    @Test func `hears every step of a sign-in with an SDK's ID token`() async throws {
        try await observed(others: ["google": NativeFlow.section(.google)]) { gatehouse, recorder in
            let flow = NativeFlow(gatehouse: gatehouse)
            _ = try await flow.post(flow.ask(.google), to: "google")
            let handed = try await flow.ask(.google)
            let signIn = try await recorder.during {
                let answer = try await flow.post(handed, to: "google")
                #expect(answer.status == 200)
            }
            #expect(signIn == Self.request("/auth/signin", Self.bulkhead("google", Self.write)))
        }
    }

    @Test func `hears every step of a refresh, of a look at the user, and of an erasure`() async throws {
        try await observed { gatehouse, recorder in
            let session = try await gatehouse.signIn("ada")
            let refreshToken = try #require(session["refresh_token"]?.string)
            let refresh = try await recorder.during {
                let answer = try await gatehouse.refresh(refreshToken)
                #expect(answer.status == 200)
            }
            #expect(refresh == Self.request("/auth/token", Self.write))
            let token = try #require(session["token"]?.string)
            let look = try await recorder.during {
                let answer = try await gatehouse.call("GET", "/users/me", bearer: token)
                #expect(answer.status == 200)
            }
            #expect(look == Self.request("/users/me"))
            let erasure = try await recorder.during {
                let answer = try await gatehouse.call("DELETE", "/users/me", bearer: token)
                #expect(answer.status == 200)
            }
            #expect(erasure == Self.request("/users/me", Self.write))
            let gone = try await recorder.during { _ = try await gatehouse.call("GET", "/users/me", bearer: token) }
            #expect(gone == Self.request("/users/me", [], "failed: invalid_token"))
            let health = try await recorder.during { _ = try await gatehouse.call("GET", "/healthz") }
            #expect(health == Self.request("/healthz"))
        }
    }

    @Test func `hears every step of a sign-in by browser`() async throws {
        try await observed(BrowserFlow.configuration) { gatehouse, recorder in
            var browser = BrowserFlow(gatehouse)
            var back: BrowserForm?
            let begun = try await recorder.during { back = try await browser.throughProvider().form }
            #expect(begun == Self.request("/auth/authorize", Self.bulkhead("zenkey", Self.write)))
            let form = try #require(back)
            var answer: HTTPTestAnswer?
            let returned = try await recorder.during {
                answer = try await browser.visit("\(form.path)?\(FormText.encode(form.fields))")
            }
            // What was remembered of the request is used up first.
            #expect(returned == Self.request("/auth/{provider}/callback", Self.write + Self.codeSignIn))
            let location = try BrowserFlow.location(of: try #require(answer))
            let code = try #require(location["code"])
            let redeemed = try await recorder.during {
                let answer = try await browser.redeem(code)
                #expect(answer.status == 200)
            }
            // That the answer has gone out is written down behind it.
            #expect(redeemed.starts(with: Self.request("/auth/token", Self.write)))
        }
    }

    @Test func `hears every step of a provider's event`() async throws {
        try await observed(plain: ToldAs.risc.lines) { gatehouse, recorder in
            _ = try await gatehouse.plainSession(of: "ada")
            // The transmitter's document and keys are fetched by the first, which tells of somebody else.
            _ = try await gatehouse.plainSession(of: "grace")
            let answer = try await gatehouse.tell(.risc, ["subscriber": "grace"])
            #expect(answer.status == 202)
            let event = try await gatehouse.event(.risc, ["subscriber": "ada"])
            let told = try await recorder.during {
                let answer = try await gatehouse.tell(event, .risc)
                #expect(answer.status == 202)
            }
            #expect(told == Self.request("/auth/{provider}/events", Self.bulkhead("plain", Self.write)))
        }
    }

    @Test func `hears of all that is done for a request whose app has gone away`() async throws {
        try await observed { gatehouse, recorder in
            let app = try await gatehouse.authorize("grace")
            gatehouse.simulation.misbehave(.slow(milliseconds: 500), at: .userinfo, times: 1)
            let left = try await recorder.during {
                try await LeavingFlow.leave(app, gatehouse, during: .userinfo)
                try await eventually("the request's end") { recorder.openCount == 0 }
            }
            let steps = [
                "> call zenkey token", "< call zenkey token done", "> call zenkey userinfo",
                "< call zenkey userinfo done",
            ]
            let inner = Self.bulkhead("zenkey", steps + Self.write)
            #expect(left == Self.request("/auth/signin", inner))
        }
    }
}
