import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@testable import Composition
@testable import Operations

@Suite struct `A code beside Apple's ID token` {
    @Test func `is exchanged by the client that it was issued to`() async throws {
        try await NativeAppleFlow.with { apple in
            let handed = try await apple.ask()
            let answer = try await apple.post(handed)
            #expect(answer.status == 200, "\(answer.text)")
            let sent = try #require(apple.gatehouse.simulation.requests(at: .token).last)
            #expect(sent.formField("client_id") == NativeAppleFlow.app && sent.formField("redirect_uri") == nil)
            let log = apple.gatehouse.log.text
            let code = try #require(handed.answer["code"]?.string)
            #expect(!log.contains(code))
            #expect(try await apple.post(handed)["refresh_token"] == answer["refresh_token"])
            #expect(apple.exchanges == 1)
        }
    }

    @Test func `goes nowhere where the ID token names another one`() async throws {
        try await NativeAppleFlow.with { apple in
            let theirs = try await apple.ask("grace")
            try await apple.post(apple.ask(), code: theirs.answer["code"])
                .expectRefused(401, "invalid_id_token", "c_hash")
            try await apple.post(apple.ask(misbehaving: "id_token_wrong_c_hash"))
                .expectRefused(401, "invalid_id_token", "c_hash")
            #expect(apple.exchanges == 0)
            #expect(try await apple.post(theirs).status == 200)
        }
    }

    @Test func `of another user is found out where no c_hash tells`() async throws {
        try await NativeAppleFlow.with { apple in
            let theirs = try await apple.ask("grace")
            let mine = try await apple.ask(misbehaving: "id_token_missing_c_hash")
            try await apple.post(mine, code: theirs.answer["code"])
                .expectRefused(401, "invalid_id_token", "subject")
            #expect(try await apple.flow.users() == 0)
            // The code is spent.
            try await apple.post(theirs).expectRefused(401, "invalid_grant")
            #expect(apple.exchanges == 1)
        }
    }

    @Test func `of another client, or made up, is refused, and the ID token is still good`() async throws {
        try await NativeAppleFlow.with { apple in
            let web = try await apple.ask(client: NativeAppleFlow.web)
            let mine = try await apple.ask(misbehaving: "id_token_missing_c_hash")
            let codes: [JSONValue] = [try #require(web.answer["code"]), "made-up"]
            for code in codes { try await apple.post(mine, code: code).expectRefused(401, "invalid_grant") }
            #expect(try await apple.flow.users() == 0)
            #expect(try await apple.flow.post(mine, to: "apple").status == 200)
        }
    }

    @Test func `is used once, whichever ID token it comes with`() async throws {
        try await NativeAppleFlow.with { apple in
            let first = try await apple.ask(misbehaving: "id_token_missing_c_hash")
            let second = try await apple.ask(misbehaving: "id_token_missing_c_hash")
            #expect(try await apple.post(first).status == 200)
            try await apple.post(second, code: first.answer["code"]).expectRefused(401, "invalid_grant")
            #expect(apple.exchanges == 1)
        }
    }

    @Test func `brings a refresh token, which its own client gives back when the user is erased`() async throws {
        try await NativeAppleFlow.with(["keepTokens: true"]) { apple in
            let signedIn = try await apple.post(apple.ask())
            let token = try #require(signedIn["token"]?.string, "\(signedIn.text)")
            let erased = try await apple.gatehouse.call("DELETE", "/users/me", bearer: token)
            #expect(erased.status == 200, "\(erased.text)")
            try await apple.deliver()
            let revoked = try #require(apple.gatehouse.simulation.requests(at: .revocation).last)
            #expect(revoked.formField("client_id") == NativeAppleFlow.app)
            #expect(revoked.formField("token")?.isEmpty == false)
            #expect(try await apple.flow.users() == 0)
        }
    }
}

@Suite struct `The name beside Apple's ID token` {
    private static let mallory: JSONValue = #"{"name":{"firstName":"Mallory","lastName":"M"},"email":"m@example.com"}"#

    @Test func `is the user's own word, and the first one`() async throws {
        try await NativeAppleFlow.with { apple in
            let handed = try await apple.ask(isFirst: true)
            let first = try await apple.post(handed, user: handed.answer["user"])
            #expect(first["user"]?["own"]?["given_name"] == "Ada", "\(first.text)")
            #expect(first["user"]?["email"] == "ada@example.com")
            let again = try await apple.post(apple.ask(), user: Self.mallory)
            #expect(again["user"]?["own"]?["given_name"] == "Ada", "\(again.text)")
            #expect(again["user"]?["email"] == "ada@example.com" && !again.text.contains("m@example.com"))
        }
    }

    @Test(arguments: [
        "no JSON", "[]", "null", "{}", #"{"name":7}"#, #"{"name":{"firstName":["Ada"]}}"#,
        #"{"name":{"firstName":"a\u0000b"}}"#, #"{"name":{"firstName":"","lastName":""}}"#,
    ])
    func `that is none keeps nobody from signing in`(user: String) async throws {
        try await NativeAppleFlow.with { apple in
            let answer = try await apple.post(apple.ask(), user: .string(user))
            #expect(answer.status == 200 && answer["user"]?["own"] == nil, "\(answer.text)")
        }
    }

    @Test func `is nobody's beside a code alone`() async throws {
        try await NativeAppleFlow.with { apple in
            let handed = try await apple.ask()
            let members: [String: JSONValue?] = [
                "id_token": nil, "code": handed.answer["code"], "client_id": .string(NativeAppleFlow.app),
                "user": Self.mallory,
            ]
            let answer = try await apple.flow.post(handed, to: "apple", members)
            #expect(answer.status == 200 && !answer.text.contains("Mallory"), "\(answer.text)")
        }
    }
}

@Suite struct `A code that an SDK has given to an app` {
    private func body(_ handed: NativeFlow.Handed, _ more: [String: JSONValue?] = [:]) -> [String: JSONValue?] {
        ["id_token": JSONValue?.none, "code": handed.answer["code"]].merging(more) { $1 }
    }

    @Test func `of Google's is exchanged with an empty redirect URI, and none is taken`() async throws {
        try await NativeFlow.with([.google], ["redirectURI: empty"]) { flow in
            let handed = try await flow.ask(.google)
            try await flow.post(handed, to: "google", body(handed, ["redirect_uri": "com.example.app:/callback"]))
                .expectRefused(400, "invalid_request")
            #expect(flow.gatehouse.simulation.counts[.google, .token] == 0)
            let answer = try await flow.post(handed, to: "google", body(handed))
            #expect(answer.status == 200, "\(answer.text)")
            let sent = try #require(flow.gatehouse.simulation.requests(at: .token).last)
            #expect(sent.formField("redirect_uri") == "")
            try await flow.post(handed, to: "google", body(handed, ["correlation_id": "thief"]))
                .expectRefused(401, "invalid_grant")
            let other = try await flow.ask(.google)
            try await flow.post(other, to: "google", body(other, ["nonce": "another"]))
                .expectRefused(401, "invalid_id_token", "nonce")
        }
    }

    @Test func `of Apple's is exchanged without a redirect URI, by the app's own client`() async throws {
        try await NativeAppleFlow.with(["redirectURI: omitted"]) { apple in
            let client: [String: JSONValue?] = ["client_id": .string(NativeAppleFlow.app)]
            let handed = try await apple.ask()
            try await apple.flow.post(
                handed, to: "apple", body(handed, client.merging(["redirect_uri": "com.example.app:/callback"]) { $1 })
            ).expectRefused(400, "invalid_request")
            // The Services ID has not got it.
            let other = try await apple.ask()
            try await apple.flow.post(other, to: "apple", body(other)).expectRefused(401, "invalid_grant")
            let answer = try await apple.flow.post(handed, to: "apple", body(handed, client))
            #expect(answer.status == 200 && answer["new_user"] == true, "\(answer.text)")
            let sent = try #require(apple.gatehouse.simulation.requests(at: .token).last)
            #expect(!sent.formFieldNames.contains("redirect_uri"))
        }
    }

    @Test func `needs no client of a stranger's choice`() async throws {
        try await NativeAppleFlow.with(["redirectURI: omitted"]) { apple in
            let handed = try await apple.ask(client: NativeAppleFlow.web)
            let answer = try await apple.flow.post(
                handed, to: "apple", body(handed, ["client_id": "com.example.another-app"]))
            #expect(answer.status == 200 || answer.status == 400, "\(answer.text)")
            let clients = apple.gatehouse.simulation.requests(at: .token).compactMap { $0.formField("client_id") }
            #expect(!clients.contains("com.example.another-app"))
        }
    }
}
