import Accounts
import Crypto
import HTTPServer
import HTTPTesting
import JSON
import Pages
import SignIn
import Telemetry
import TestSupport
import Testing

@testable import WebAPI
@testable import Wings

extension APIStage {
    /// A stage with the KeyService, whose hashes are as quick as they can be.
    static func withKeys(
        perMinute: Int = 0, apiKeys: [String] = [], path: String? = nil, waiting: Int = 100,
        keysPerDay: Int64? = nil
    ) async throws -> APIStage {
        try await APIStage(
            apiKeys: apiKeys, perMinute: perMinute,
            wings: APIExtensions([
                .keyService(
                    at: path ?? "/keyservice/v1",
                    PasswordHashing(try Scrypt(cost: 1), places: 1, maximumWaiting: waiting, observers: .none),
                    keysPerDay: keysPerDay)
            ]))
    }

    func createKey(_ body: JSONValue = ["secret": "1234"]) async -> HTTPTestAnswer {
        await post("/keyservice/v1/createkey", json: body)
    }

    func unlock(_ body: JSONValue) async -> HTTPTestAnswer { await post("/keyservice/v1/key", json: body) }

    /// The first answer that a limit gives. On a machine that has other things to do a minute may pass between two
    /// requests, in which one more is allowed, but not between all of so many.
    func lastUntilLimited(_ ask: () async -> HTTPTestAnswer) async -> HTTPTestAnswer {
        var answer = await ask()
        for _ in 0..<20 where answer.status != 429 { answer = await ask() }
        return answer
    }

    /// A new key, and what unlocks it.
    func madeKey() async throws -> (id: String, longSecret: String) {
        let body = await createKey().json
        return (try #require(body["keyid"]?.string), try #require(body["longsecret"]?.string))
    }
}

@Suite struct `The KeyService's operations` {
    @Test func `give TIM's clients what they read, and nothing more`() async throws {
        let app = try await APIStage.withKeys()
        let made = await app.createKey()
        #expect(made.status == 200)
        #expect(made.json.object?.members.map(\.name) == ["keyid", "key", "longsecret"])
        #expect(made.header("cache-control") == "no-store" && made.isCompressible == false)
        let id = try #require(made.json["keyid"]?.string)
        for secret in [("secret", JSONValue.string("1234")), ("longsecret", made.json["longsecret"] ?? .null)] {
            let unlocked = await app.unlock(.object(JSONObject([("keyid", .string(id)), secret])))
            #expect(unlocked.status == 200 && unlocked.json == made.json, "\(secret.0)")
        }
    }

    @Test func `revoke a key, and then there is none`() async throws {
        let app = try await APIStage.withKeys()
        let (id, longSecret) = try await app.madeKey()
        let body: JSONValue = ["keyid": .string(id), "longsecret": .string(longSecret)]
        #expect(await app.post("/keyservice/v1/revokekey", json: ["keyid": .string(id), "secret": "2"]).status == 401)
        let revoked = await app.post("/keyservice/v1/revokekey", json: body)
        #expect(revoked.status == 200 && revoked.json == ["keyid": .string(id), "revoked": true])
        for path in ["/keyservice/v1/revokekey", "/keyservice/v1/key"] {
            #expect(await app.post(path, json: body).status == 404)
        }
    }

    @Test func `tell an address when it may make keys again that has made too many within a day`() async throws {
        let app = try await APIStage.withKeys(keysPerDay: 2)
        for _ in 0..<2 { #expect(await app.createKey().status == 200) }
        let limited = await app.createKey()
        #expect(limited.status == 429 && limited.error == "rate_limited")
        #expect(limited.header("retry-after").flatMap { Int($0) }.map { (86_000...86_400).contains($0) } == true)
    }

    @Test func `ask for no API key, and take a form too`() async throws {
        let app = try await APIStage.withKeys(apiKeys: ["key"])
        let made = await app.post("/keyservice/v1/createkey", form: "secret=1%262+3")
        #expect(made.status == 200)
        let id = try #require(made.json["keyid"])
        #expect(await app.unlock(["keyid": id, "secret": "1&2 3"]).json == made.json)
    }

    @Test(arguments: [
        #"{}"#, #"{"secret":""}"#, #"{"secret":1234}"#, #"{"secret":null}"#, #"{"secret":["1"]}"#, "[]", "x", "",
        #"{"secret":"1","secret":"1"}"#, #"{"Secret":"1"}"#,
    ])
    func `make no key without a password`(body: String) async throws {
        let app = try await APIStage.withKeys()
        let answer = await app.send(
            .post, "/keyservice/v1/createkey", headers: [("Content-Type", "application/json")], body: Array(body.utf8))
        #expect(answer.status == 400 && answer.error == "invalid_request")
    }

    @Test(
        arguments: [
            [("secret", "1")], [], [("secret", "1"), ("longsecret", "2")], [("keyid", "")],
            [("keyid", ""), ("secret", "")],
        ] as [[(String, JSONValue)]])
    func `unlock none without a name, or by anything but one secret`(members: [(String, JSONValue)]) async throws {
        let app = try await APIStage.withKeys()
        let (id, longSecret) = try await app.madeKey()
        let members = members.map {
            ($0.0, $0.0 == "keyid" ? .string(id) : $0.0 == "longsecret" ? .string(longSecret) : $0.1)
        }
        let answer = await app.unlock(.object(JSONObject(members)))
        #expect(answer.status == 400 && answer.error == "invalid_request")
        // Nothing was tried.
        for _ in 0..<2 { #expect(await app.unlock(["keyid": .string(id), "secret": "x"]).status == 401) }
        #expect(await app.unlock(["keyid": .string(id), "secret": "1234"]).status == 200)
    }

    @Test func `take a secret of 1,024 bytes, and none longer`() async throws {
        let app = try await APIStage.withKeys()
        let longest = String(repeating: "ø", count: 512)
        let id = try #require(await app.createKey(["secret": .string(longest)]).json["keyid"])
        #expect(await app.unlock(["keyid": id, "secret": .string(longest)]).status == 200)
        for name in ["secret", "longsecret"] {
            let answer = await app.unlock(.object(JSONObject([("keyid", id), (name, .string(longest + "x"))])))
            #expect(answer.status == 400 && answer.json["error_description"]?.string?.contains(name) == true)
        }
        #expect(await app.createKey(["secret": .string(longest + "x")]).status == 400)
        #expect(await app.unlock(["keyid": .string(longest + "x"), "secret": "1"]).status == 400)
    }

    @Test func `tell what happened by the status`() async throws {
        let app = try await APIStage.withKeys()
        let (id, longSecret) = try await app.madeKey()
        func unlock(_ password: String) async -> [String] {
            let answer = await app.unlock(["keyid": .string(id), "secret": .string(password)])
            return ["\(answer.status)", answer.error ?? ""]
        }
        #expect(await unlock("1") == ["401", "bad_password"])
        #expect(await unlock("2") == ["401", "bad_password"])
        #expect(await unlock("3") == ["403", "key_locked"])
        #expect(await unlock("1234") == ["403", "key_locked"])
        #expect(await app.unlock(["keyid": .string(id), "longsecret": .string(longSecret)]).error == "key_locked")
        #expect(await app.unlock(["keyid": "x", "secret": "1"]).error == "key_missing")
    }

    @Test func `limit who makes keys, and who gets long secrets wrong, and nobody who succeeds`() async throws {
        let app = try await APIStage.withKeys(perMinute: 1)
        let (id, longSecret) = try await app.madeKey()
        let refused = await app.lastUntilLimited { await app.createKey() }
        #expect(refused.status == 429 && refused.header("retry-after") != nil)
        let right: JSONValue = ["keyid": .string(id), "longsecret": .string(longSecret)]
        for _ in 0..<10 {
            #expect(await app.unlock(right).status == 200)
            #expect(await app.unlock(["keyid": .string(id), "secret": "1234"]).status == 200)
        }
        let wrong: JSONValue = ["keyid": .string(id), "longsecret": "wrong"]
        #expect(await app.unlock(wrong).status == 401)
        #expect(await app.lastUntilLimited { await app.unlock(wrong) }.status == 429)
        // A password is a matter of its own, and wrong long secrets count for nothing there.
        #expect(await app.unlock(["keyid": .string(id), "secret": "1234"]).status == 200)
    }

    @Test func `are at their path in the spellings of TIM's clients, for POST only`() async throws {
        for (path, base) in [
            (nil, "/keyservice/v1"), ("/auth/realms/acme/keyservice/v1", "/auth/realms/acme/keyservice/v1"),
            ("/tim", "/tim"),
        ] as [(String?, String)] {
            let app = try await APIStage.withKeys(path: path)
            for (start, end) in [("", ""), ("", "/"), ("/", ""), ("/", "/")] {
                func ask(_ method: HTTPMethod, _ suffix: String, _ body: JSONValue) async -> HTTPTestAnswer {
                    HTTPTestAnswer(
                        await app.api.respond(
                            to: .sample(
                                method, start + base + suffix + end, headers: [("Content-Type", "application/json")],
                                body: body.serialized)))
                }
                let made = await ask(.post, "/createkey", ["secret": "1"])
                #expect(made.status == 200, "\(start + base + end)")
                let unlocked = await ask(.post, "/key", ["secret": "1", "keyid": made.json["keyid"] ?? .null])
                #expect(unlocked.status == 200 && unlocked.json == made.json)
                for method in [HTTPMethod.get, .put, .delete] {
                    let refused = await ask(method, "/key", [:])
                    #expect(refused.status == 405 && refused.header("allow") == "POST, OPTIONS")
                }
            }
            let metadata = base == "/auth/realms/acme/keyservice/v1" ? 200 : 404
            for start in ["", "/"] {
                let found = await app.api.respond(
                    to: .sample(.get, start + "/auth/realms/acme/.well-known/openid-configuration"))
                #expect(found.status.code == metadata)
            }
        }
    }

    @Test func `stand in the document where they are`() async throws {
        let app = try await APIStage.withKeys(path: "/auth/realms/acme/keyservice/v1")
        let document = try JSONValue(parsing: await app.api.respond(to: .sample(.get, "/openapi.json")).body)
        let paths = document["paths"]?.object?.members.map(\.name).filter { $0.contains("keyservice") }
        #expect(paths == ["createkey", "key", "revokekey"].map { "/auth/realms/acme/keyservice/v1/\($0)" })
    }

    @Test func `are not there where the KeyService is off`() async throws {
        let app = try await APIStage(
            wings: APIExtensions([.keyService(at: "/auth/realms/acme/keyservice/v1", nil, keysPerDay: nil)]))
        for path in ["/keyservice/v1", "/auth/realms/acme/keyservice/v1"] {
            let answer = await app.api.respond(to: .sample(.post, path + "/createkey"))
            #expect(answer.status.code == 404)
        }
        let metadata = await app.api.respond(
            to: .sample(.get, "/auth/realms/acme/.well-known/openid-configuration"))
        #expect(metadata.status.code == 404)
    }

    @Test func `write no secret, key or name into the log or an error`() async throws {
        let app = try await APIStage.withKeys(perMinute: 20)
        let password = "the-password-of-somebody"
        let made = await app.createKey(["secret": .string(password)])
        let (id, longSecret) = (made.json["keyid"]?.string ?? "", made.json["longsecret"]?.string ?? "")
        var bodies: [String] = []
        for member in ["secret", "longsecret"] {
            for secret in [password, longSecret, "wrong-\(password)", "wrong-\(password)", "wrong-\(password)"] {
                bodies.append(
                    await app.unlock(.object(JSONObject([("keyid", .string(id)), (member, .string(secret))]))).text)
            }
        }
        bodies.append(await app.unlock(["keyid": .string(id + "0"), "secret": .string(password)]).text)
        bodies.append(await app.unlock(["keyid": .string(id), "secret": [.string(password)]]).text)
        await app.stage.repository.close()
        bodies.append(await app.unlock(["keyid": .string(id), "secret": .string(password)]).text)
        bodies.append(await app.createKey(["secret": .string(password)]).text)
        let key = made.json["key"]?.string ?? ""
        for text in [app.log.text] + bodies.filter({ $0.contains("error") }) {
            for secret in [password, longSecret, id, key] { #expect(!text.contains(secret)) }
        }
        #expect(app.log.text.contains("unable_to_create_key: it is closed"))
    }
}

/// Asks the KeyService's operations for every answer they have.
enum KeyServiceTour {
    /// Every kind of answer that was seen.
    static func seen() async throws -> Set<String> {
        let app = try await APIStage.withKeys(perMinute: 1)
        let (id, longSecret) = try await app.madeKey()
        _ = await app.lastUntilLimited { await app.createKey() }
        for path in ["createkey", "key", "revokekey"] {
            _ = await app.send(.post, "/keyservice/v1/\(path)", headers: [("Content-Type", "text/plain")])
            _ = await app.post("/keyservice/v1/\(path)", json: [:], headers: [("Authorization", "Bearer x")])
        }
        let revoke = "/keyservice/v1/revokekey"
        _ = await app.post(revoke, json: [:])
        _ = await app.post(revoke, json: ["keyid": "x", "secret": "1"])
        _ = await app.unlock(["keyid": .string(id), "longsecret": .string(longSecret)])
        _ = await app.unlock([:])
        _ = await app.unlock(["keyid": "x", "secret": "1"])
        _ = await app.unlock(["keyid": .string(id), "longsecret": "x"])
        _ = await app.post(revoke, json: ["keyid": .string(id), "longsecret": "x"])
        _ = await app.lastUntilLimited { await app.unlock(["keyid": .string(id), "longsecret": "x"]) }
        _ = await app.lastUntilLimited { await app.post(revoke, json: ["keyid": .string(id), "longsecret": "x"]) }
        for _ in 0..<3 { _ = await app.unlock(["keyid": .string(id), "secret": "x"]) }
        _ = await app.post(revoke, json: ["keyid": .string(id), "secret": "x"])
        let closed = try await APIStage.withKeys()
        _ = await closed.send(.post, "/keyservice/v1/createkey", headers: [("Content-Type", "text/plain")])
        _ = await closed.createKey([:])
        let (gone, other) = (try await closed.madeKey(), try await closed.madeKey())
        _ = await closed.post(revoke, json: ["keyid": .string(gone.id), "secret": "1"])
        _ = await closed.post(revoke, json: ["keyid": .string(gone.id), "secret": "1234"])
        let token = await closed.signIn().json["token"]?.string ?? ""
        let bound = await closed.post(
            "/keyservice/v1/createkey", json: ["secret": "1"], headers: [("Authorization", "Bearer \(token)")])
        let lock = Lock(cause: .operator, reason: nil, since: closed.stage.now, until: nil)
        _ = try await closed.stage.repository.lock(
            UserID(rawValue: 1), lock, line: .none, now: closed.stage.now)
        let its: JSONValue = ["keyid": bound.json["keyid"] ?? .null, "secret": "1"]
        let refused = await closed.unlock(its)
        #expect(refused.status == 403 && refused.error == "user_locked", "\(refused.text)")
        _ = await closed.post(revoke, json: its)
        await closed.stage.repository.close()
        _ = await closed.createKey()
        _ = await closed.post(
            "/keyservice/v1/createkey", json: ["secret": "1"], headers: [("Authorization", "Bearer \(token)")])
        _ = await closed.post(revoke, json: ["keyid": .string(other.id), "secret": "1234"])
        _ = await closed.unlock(["keyid": .string(other.id), "secret": "1234"])
        let off = try await APIStage()
        _ = await off.createKey()
        _ = await off.unlock([:])
        _ = await off.post(revoke, json: [:])
        return app.seenAnswers.union(closed.seenAnswers).union(off.seenAnswers)
    }
}
