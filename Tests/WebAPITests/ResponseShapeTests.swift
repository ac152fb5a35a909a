import Accounts
import Apps
import Crypto
import HTTPServer
import HTTPTesting
import JSON
import TestSupport
import Testing

@testable import WebAPI

/// What ZenKey's sample app for Android decodes: it stops at a text where it expects an object.
@Suite struct `Answers as the Android sample decodes them` {
    private static let key = ("X-API-KEY", "the-key-of-the-app")

    /// Asked past the document, which has the flat shape.
    private static func ask(
        _ app: APIStage, _ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil, token: String? = nil,
        type: String = "application/json"
    ) async -> HTTPTestAnswer {
        var headers = [key]
        if body != nil { headers.append(("Content-Type", type)) }
        if let token { headers += bearer(token) }
        return HTTPTestAnswer(
            await app.api.respond(
                to: .sample(method, path, query: nil, headers: headers, body: body?.serialized ?? [])))
    }

    private static func stage(_ shape: ResponseShape) async throws -> APIStage {
        let app = try await APIStage(apiKeys: [key.1], responses: shape)
        app.stage.answerUserinfo([
            "sub": "310260-subject", "name": "Jane Doe", "given_name": "Jane", "family_name": "Doe",
            "email": "jane@example.com", "email_verified": true, "phone_number": "+12065550100",
            "postal_code": "90210", "birthdate": "1990-01-31",
            "address": ["street_address": "1 Main Street", "locality": "Seattle", "postal_code": "90210"],
        ])
        return app
    }

    private static let nested: [(name: String, value: JSONValue)] = [
        ("name", ["value": "Jane Doe", "given_name": "Jane", "family_name": "Doe"]),
        ("email", ["value": "jane@example.com", "verified": 1]), ("postal_code", ["value": "90210"]),
        ("birthdate", ["value": "1990-01-31"]),
        ("address", ["street_address": "1 Main Street", "locality": "Seattle", "postalCode": "90210"]),
    ]

    @Test func `have an object for each attribute, at sign-in, of the user, and after a change`() async throws {
        let app = try await Self.stage(.zenkeyAndroid)
        let signedIn = await Self.ask(app, .post, "/auth/zenkey-signin", APIStage.authorized())
        #expect(signedIn.status == 200, "\(signedIn.text)")
        let token = try #require(signedIn.json["token"]?.string)
        let user = await Self.ask(app, .get, "/users/me", token: token)
        let edited = await Self.ask(
            app, .patch, "/users/me", ["nickname": "J"], token: token, type: "application/merge-patch+json")
        #expect(edited.json["nickname"] == ["value": "J"])
        for answer in [signedIn.json["user"] ?? .null, user.json, edited.json] {
            for (name, value) in Self.nested { #expect(answer[name] == value, "\(name) \(answer)") }
            #expect(answer["phone_number"]?["value"] == "+12065550100")
            #expect(answer["user_id"] == 1 && answer["given_name"] == nil && answer["email_verified"] == nil)
            #expect(Self.problems(answer, StockAppSchemas.user).isEmpty)
        }
        // The rest is what it was: these are a number and texts in that app too.
        #expect(user.json["zenkey_sub"]?.string != nil && user.json["username"]?.string != nil)
        for name in ["token", "refresh_token", "token_type"] { #expect(signedIn.json[name]?.string != nil) }
        #expect(signedIn.json["expires"]?.integer == 900)
    }

    /// What an answer has that the document's schema of that name does not say.
    private static func problems(_ answer: JSONValue, _ schema: String) -> [String] {
        DocumentedAnswers.ofApps.check.problems(answer, ["$ref": .string("#/components/schemas/\(schema)")])
    }

    @Test func `have texts of somebody unknown for the iOS sample, and objects for the others`() async throws {
        for shape in ResponseShape.allCases {
            let app = try await APIStage(apiKeys: [Self.key.1], responses: shape, registration: .ticket)
            app.stage.answerUserinfo([
                "sub": "310260-subject", "name": "Jane Doe", "given_name": "Jane", "family_name": "Doe",
                "phone_number": "+12065550100", "postal_code": "90210",
                "address": ["street_address": "1 Main Street", "postal_code": "90210"],
            ])
            let answer = await Self.ask(app, .post, "/auth/zenkey-signin", APIStage.authorized())
            let told = try #require(answer.json["zenkey_attributes"])
            #expect(told["sub"] == answer.json["link_ticket"])
            guard shape == .zenkeyIOS else {
                #expect(told["name"]?["value"] == "Jane Doe" && told["phone"]?["value"] == "+12065550100")
                continue
            }
            #expect(told["name"] == "Jane Doe" && told["given_name"] == "Jane" && told["family_name"] == "Doe")
            #expect(told["phone_number"] == "+12065550100" && told["postal_code"] == "90210" && told["phone"] == nil)
            #expect(told["address"]?["street_address"] == "1 Main Street")
            #expect(Self.problems(told, StockAppSchemas.registrationAttributes).isEmpty)
        }
    }

    @Test func `stay texts for every other key`() async throws {
        for shape in [ResponseShape.flat, .zenkeyIOS] {
            let app = try await Self.stage(shape)
            let signedIn = await Self.ask(app, .post, "/auth/zenkey-signin", APIStage.authorized())
            let user = await Self.ask(
                app, .get, "/users/me", token: try #require(signedIn.json["token"]?.string))
            #expect(user.json["name"] == "Jane Doe" && user.json["email_verified"]?.string != nil)
            #expect(signedIn.json["user"]?["name"] == "Jane Doe")
        }
    }

    @Test func `are those of an app of ours by its section, whatever key comes along`() async throws {
        func app(_ name: String, _ shape: ResponseShape) -> RegisteredApp {
            RegisteredApp(
                name: name, clientID: "\(name)-id", secret: nil, redirectURIs: [RedirectURI(BrowserStage.acme)],
                providers: [], origins: [], postLogoutRedirectURIs: [], otherBrowser: .refuse, consent: .implicit,
                idTokenAlgorithm: .rs256, rights: BrowserStage.ofOperator, responses: shape)
        }
        let apps = AppRegistry([app("acme", .zenkeyAndroid), app("other", .flat)], resourceServers: [])
        for (client, expected) in [("acme-id", ["value": "Jane Doe"] as JSONValue), ("other-id", "Jane Doe")] {
            let stage = try await APIStage(apps: apps)
            stage.stage.answerUserinfo(["sub": "310260-subject", "name": "Jane Doe"])
            var browser = BrowserStage(of: stage)
            let changes: [String: String?] = ["client_id": client, "scope": "openid profile account.read"]
            let code = try await browser.code(changes)
            let token = try #require(await browser.redeem(code, changes).json["access_token"]?.string)
            #expect(await Self.ask(stage, .get, "/users/me", token: token).json["name"] == expected)
        }
    }

    @Test func `are chosen by the key that is right, and by none that is not`() {
        let keys = APIKeys([
            APIKey(Secret("first-key")), APIKey(Secret("second-key"), responses: .zenkeyAndroid),
        ])
        func shape(_ key: String?) -> ResponseShape? {
            keys.responses(to: .sample(.get, "/", headers: key.map { [("X-API-KEY", $0)] } ?? []))
        }
        #expect(shape("first-key") == .flat && shape("second-key") == .zenkeyAndroid)
        #expect(shape("third-key") == nil && shape("") == nil && shape(nil) == nil)
        #expect(APIKeys([]).responses(to: .sample(.get, "/")) == .flat)
    }
}
