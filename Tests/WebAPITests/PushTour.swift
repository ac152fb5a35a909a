import Accounts
import Apps
import HTTPClient
import HTTPServer
import HTTPTesting
import JSON
import Logging
import Pages
import Providers
import SignIn
import Telemetry
import TestSupport
import Testing

@testable import WebAPI
@testable import Wings

/// Asks the operations for sign-ins on the phone for every answer they have.
enum PushTour {
    /// Every kind of answer that was seen.
    static func seen() async throws -> Set<String> {
        var seen: Set<String> = []
        for part in [roads, refusals, carriers, tickets, storage, conflict] { seen.formUnion(try await part()) }
        let narrow = try await APIStage.withPushes(permissions: [])
        _ = await narrow.beginPush(headers: bearer(try await narrow.signedIn().token))
        return seen.union(narrow.seenAnswers)
    }

    private static func roads() async throws -> Set<String> {
        let app = try await APIStage.withPushes(apiKeys: ["key"])
        let key = [("X-API-KEY", "key")]
        let id = try await app.pushed(headers: key)
        let path = "\(APIStage.pushPath)/\(id)"
        _ = await app.poll(id, headers: key)
        _ = await app.send(.get, path, headers: key)
        for method in [HTTPMethod.get, .post, .delete] { _ = await app.send(method, path) }
        _ = await app.beginPush()
        _ = await app.beginPush([("login_hint", nil), ("mccmnc", nil)], headers: key + bearer("x"))
        _ = await app.send(.post, path, headers: key)
        _ = await app.send(.delete, path, headers: key)
        for method in [HTTPMethod.get, .post] {
            app.stage.pass(seconds: 1)
            _ = await app.send(method, path, headers: key)
        }
        _ = try await app.notifyOfPush()
        _ = try await app.notifyOfPush(bearer: "x")
        let approved = try await app.pushed(headers: key)
        _ = try await app.notifyOfPush()
        _ = await app.poll(approved, headers: key)
        return app.seenAnswers
    }

    private static func refusals() async throws -> Set<String> {
        var seen: Set<String> = []
        let app = try await APIStage.withPushes(perMinute: 2)
        _ = await app.post(APIStage.pushPath, json: [:])
        _ = await app.beginPush([("client_id", "other")])
        _ = await app.beginPush()
        for method in [HTTPMethod.get, .post, .delete] {
            for _ in 0..<3 { _ = await app.send(method, "\(APIStage.pushPath)/x") }
            _ = await app.post("\(APIStage.pushPath)/notification", json: [:], headers: bearer("x"))
        }
        seen.formUnion(app.seenAnswers)
        let other = try await APIStage.withPushes()
        _ = await other.beginPush([("provider", "other")])
        _ = await other.send(.post, APIStage.pushPath, headers: [("Content-Type", "text/plain")])
        for method in [HTTPMethod.get, .post, .delete] { _ = await other.send(method, "\(APIStage.pushPath)/x") }
        let denied = try await other.pushed()
        _ = try await other.notifyOfPush(["error": "access_denied"])
        _ = try await other.notifyOfPush()
        _ = try await other.notifyOfPush(["state": "x"])
        _ = await other.send(
            .post, "\(APIStage.pushPath)/notification", headers: [("Content-Type", "text/plain")] + bearer("x"))
        _ = await other.poll(denied)
        _ = await other.send(.post, "\(APIStage.pushPath)/\(denied)")
        let late = try await other.pushed()
        other.stage.pass(seconds: 3600)
        _ = await other.poll(late)
        _ = try await other.notifyOfPush()
        seen.formUnion(other.seenAnswers)
        let off = try await APIStage()
        _ = await off.beginPush()
        _ = await off.post("\(APIStage.pushPath)/notification", json: [:])
        return seen.union(off.seenAnswers)
    }

    private static func carriers() async throws -> Set<String> {
        var seen: Set<String> = []
        let faults: [ScriptedTransport.Outcome] = [
            .failure(.timedOut(requestSent: true)), .failure(.couldNotConnect), .success(.page),
            .success(.json(["error": "provider_not_found"])),
        ]
        for fault in faults {
            let app = try await APIStage.withPushes()
            let id = try await app.pushed()
            app.stage.transport.answer(app.stage.carrier.keysEndpoint) { _ in fault }
            _ = try await app.notifyOfPush()
            let other = try await APIStage.withPushes()
            other.stage.transport.answer(ProviderConfiguration.discoveryURL) { _ in fault }
            _ = await other.beginPush()
            seen.insert(await retryAfterRestart(id, app.stage, fault))
            seen.formUnion(app.seenAnswers.union(other.seenAnswers))
        }
        let app = try await APIStage.withPushes()
        app.stage.failPush(.couldNotConnect)
        let id = try #require(await app.beginPush().json["auth_req_id"]?.string)
        _ = try await app.ended(id)
        app.stage.takePushes()
        _ = await app.send(.post, "\(APIStage.pushPath)/\(id)")
        return seen.union(app.seenAnswers)
    }

    private static func tickets() async throws -> Set<String> {
        let app = try await APIStage.withPushes(registration: .ticket)
        let id = try await app.pushed()
        _ = try await app.notifyOfPush()
        _ = await app.poll(id)
        _ = try await app.pushed(headers: [])
        app.stage.answerUserinfo(["sub": "other"])
        _ = try await app.notifyOfPush()
        let wrong = try await APIStage.withPushes()
        _ = try await wrong.pushed()
        _ = try await wrong.notifyOfPush { $0.claims[setting: "nonce"] = "other" }
        return app.seenAnswers.union(wrong.seenAnswers)
    }

    private static func storage() async throws -> Set<String> {
        let app = try await APIStage.withPushes()
        let id = try await app.pushed()
        let token = try await app.signedIn().token
        await app.stage.repository.close()
        _ = await app.beginPush([("login_hint", "+12065550999")])
        _ = await app.beginPush([("login_hint", nil), ("mccmnc", nil)], headers: bearer(token))
        for method in [HTTPMethod.get, .post, .delete] { _ = await app.send(method, "\(APIStage.pushPath)/\(id)") }
        _ = try await app.notifyOfPush()
        return app.seenAnswers
    }

    /// Two users of the former carrier, and somebody who says to have been both.
    private static func conflict() async throws -> Set<String> {
        let app = try await APIStage.withPushes()
        let (stage, former) = (app.stage, app.stage.former)
        stage.transport.answer(ProviderConfiguration.discoveryURL, json: former.metadata)
        for subject in ["one", "two"] {
            let idToken = try former.idToken { $0.claims[setting: "sub"] = .string(subject) }
            stage.transport.answer(former.tokenEndpoint, json: SignInStage.tokens(idToken: idToken))
            stage.transport.answer(former.userinfoEndpoint, json: ["sub": .string(subject)])
            _ = await app.signIn([("code", .string(subject)), ("mccmnc", "311480")])
        }
        stage.takePushes()
        _ = try await app.pushed()
        let portTokens = try ["one", "two"].map { subject in
            JSONValue.string(try former.portToken { $0.claims[setting: "sub"] = .string(subject) })
        }
        let answer = try await app.notifyOfPush { $0.claims[setting: "aka"] = .array(portTokens) }
        #expect(answer.status == 409)
        return app.seenAnswers
    }

    /// What was begun is begun anew by another process on the same store, which has nothing in memory.
    private static func retryAfterRestart(
        _ id: String, _ stage: SignInStage, _ fault: ScriptedTransport.Outcome
    ) async -> String {
        stage.transport.answer(ProviderConfiguration.discoveryURL) { _ in fault }
        let providers = ProviderRegistry([Provider(stage.provider.configuration)])
        let useCases = stage.useCases(at: providers)
        let wings = APIExtensions([.push(PushLimits(stage.ofWings.pushes.configuration))])
        let api = WebAPI(
            providers: providers, useCases: useCases, apps: stage.apps, branding: Branding(name: ""),
            associationFiles: AssociationFiles(apple: nil, android: nil), apiKeys: APIKeys([]), limits: .each(0),
            documentation: Documentation(version: "0", baseURL: nil, wings: wings), wings: wings, hstsSeconds: nil,
            failedSignIns: FailedSignInCounter(),
            metrics: MetricRegistry(), logger: RecordedLog().logger(.critical))
        let path = "\(APIStage.pushPath)/\(id)"
        let answer = HTTPTestAnswer(await api.respond(to: .sample(.post, path)))
        for problem in DocumentedAnswers.ofApps.problems(.post, path, answer) { Issue.record("\(problem)") }
        return APIStage.name("retryPush", answer.status, answer.error)
    }
}
