import Accounts
import Apps
import HTTPServer
import HTTPTesting
import JSON
import Providers
import SignIn
import Syntax
import TestSupport
import Testing

@testable import WebAPI

/// Whose word the claims are that our own apps rely on.
@Suite struct `A claim about a user` {
    private static let birthday: JSONValue = [
        "sub": "310260-subject", "name": "Jane Doe", "given_name": "Jane", "family_name": "Doe",
        "email": "jane@example.com", "email_verified": true, "phone_number": "+12065550100", "birthdate": "2012-05-05",
        "picture": "https://carrier.example/jane.png", "postal_code": "90210", "last_4_social": "1234",
        "address": ["country": "US", "locality": "Springfield"],
    ]

    private static func idToken(_ answer: HTTPTestAnswer) throws -> JSONValue {
        let parts = try #require(answer.json["id_token"]?.string).split(separator: ".")
        let payload = try #require(Base64URL.decode(String(parts[1])))
        return try JSONValue(parsing: payload)
    }

    /// The ID token and userinfo of a new sign-in through the browser.
    private static func claims(
        _ browser: inout BrowserStage, _ changes: [String: String?] = [:]
    ) async throws -> [JSONValue] {
        let answer = await browser.redeem(try await browser.code(changes))
        let bearer = bearer(try #require(answer.json["access_token"]?.string))
        return [try idToken(answer), await browser.api.send(.get, "/auth/userinfo", headers: bearer).json]
    }

    @Test(arguments: [
        ("birthdate", "1980-01-01"), ("name", "Dr. Evil"), ("given_name", "Eve"), ("family_name", "Evil"),
        ("picture", "https://evil.example/eve.png"),
    ])
    func `is the carrier's, whatever its user says since, at the next sign-in too`(
        name: String, value: String
    ) async throws {
        var browser = try await BrowserStage()
        browser.api.stage.answerUserinfo(Self.birthday)
        let token = try await browser.api.signedIn().token
        let edited = await browser.api.patch("/users/me", .object(JSONObject([(name, .string(value))])), token)
        #expect(edited.status == 200)
        #expect(edited.json["own"]?[name] == .string(value))
        for claims in try await Self.claims(&browser) { #expect(claims[name] == Self.birthday[name]) }
        // A sign-in that brings no such attribute takes nothing away.
        browser.api.stage.answerUserinfo(["sub": "310260-subject"])
        for claims in try await Self.claims(&browser) { #expect(claims[name] == Self.birthday[name]) }
    }

    @Test func `of a birthday is the carrier's for the user too, with the user's own word marked`() async throws {
        let app = try await APIStage()
        app.stage.answerUserinfo(Self.birthday)
        let token = try await app.signedIn().token
        let edited = await app.patch("/users/me", ["birthdate": "1980-01-01"], token)
        #expect(edited.json["birthdate"] == "2012-05-05")
        #expect(edited.json["own"] == ["birthdate": "1980-01-01"])
        let again = await app.signIn([("code", "another")])
        #expect(again.json["user"]?["birthdate"] == "2012-05-05")
        #expect(again.json["user"]?["own"]?["birthdate"] == "1980-01-01")
    }

    @Test func `is the user's own where no carrier gives one`() async throws {
        var browser = try await BrowserStage()
        let token = try await browser.api.signedIn().token
        _ = await browser.api.patch("/users/me", ["birthdate": "1980-01-01", "nickname": "J"], token)
        for claims in try await Self.claims(&browser) {
            #expect(claims["birthdate"] == "1980-01-01" && claims["nickname"] == "J")
        }
    }

    @Test func `that a user changes leaves a row in the trail, which names it and not its value`() async throws {
        let app = try await APIStage()
        app.stage.answerUserinfo(Self.birthday)
        let token = try await app.signedIn().token
        _ = await app.patch("/users/me", ["birthdate": "1980-01-01", "nickname": "J"], token)
        _ = await app.patch("/users/me", ["birthdate": "1980-01-01"], token)
        let events = try await app.stage.repository.auditEvents(after: 0, limit: 10, user: nil)
        let edits = events.filter { $0.kind == .profileEdited }
        #expect(edits.map { $0.fields.sorted() } == [["birthdate", "nickname"]])
        let row = UserDocument.event(try #require(edits.first)).serialized
        let text = String(decoding: row, as: UTF8.self)
        #expect(text.contains("profile_edited") && text.contains("birthdate") && !text.contains("1980"))
    }

    @Test func `comes with the name of the provider that its user signed in with`() async throws {
        var browser = try await BrowserStage()
        for claims in try await Self.claims(&browser, ["scope": "openid"]) { #expect(claims["idp"] == "zenkey") }
    }

    @Test(arguments: [
        (EmailTrust(.all), true), (EmailTrust(.owned, domains: ["example.com"]), true), (EmailTrust(.owned), false),
        (EmailTrust(.owned, domains: ["other.example"]), false), (EmailTrust(.none), false),
    ])
    func `of an address is verified where the provider's word counts, wherever it is told`(
        trust: EmailTrust, isVerified: Bool
    ) async throws {
        var browser = try await BrowserStage { $0.emailTrust = trust }
        browser.api.stage.answerUserinfo(Self.birthday)
        for claims in try await Self.claims(&browser) {
            #expect(claims["email"] == "jane@example.com")
            #expect(claims["email_verified"] == .boolean(isVerified))
        }
        try browser.api.stage.answerToken()
        let answer = await browser.api.signIn()
        #expect(answer.json["user"]?["email"] == "jane@example.com")
        #expect(answer.json["user"]?["email_verified"] == .boolean(isVerified))
        let token = bearer(try #require(answer.json["token"]?.string))
        let me = await browser.api.send(.get, "/users/me", headers: token).json
        #expect(me["email_verified"] == .string(isVerified ? "true" : "false"))
    }

    @Test func `of an address is judged anew by what the operator says today`() async throws {
        let app = try await APIStage { $0.emailTrust = EmailTrust(.none) }
        app.stage.answerUserinfo(Self.birthday)
        _ = try await app.signedIn()
        let user = try #require(try await app.stage.repository.users(after: nil, limit: 1, provider: nil).first?.id)
        let profile = try #require(try await app.stage.repository.user(user)?.profile)
        #expect(!app.stage.providers.isVerified(.email, in: profile))
        #expect(ProviderRegistry([Provider(.zenkey())]).isVerified(.email, in: profile))
        // Taken out of the configuration, nobody knows how far its word went.
        let other = ProviderRegistry([Provider(.openID { $0.emailTrust = EmailTrust(.owned) })])
        #expect(!other.isVerified(.email, in: profile))
    }

    @Test func `is told to operators as the provider has it, with whether its word counts`() async throws {
        let app = try await APIStage { $0.emailTrust = EmailTrust(.owned, domains: ["other.example"]) }
        app.stage.answerUserinfo(Self.birthday)
        _ = try await app.signedIn()
        let user = try #require(try await app.stage.repository.users(after: nil, limit: 1, provider: nil).first?.id)
        let record = try #require(try await app.stage.repository.record(of: user, now: app.stage.now))
        let export = UserDocument.export(record, subjects: .asReferences, at: app.stage.providers)
        let contact = export["contacts"]?.array?.first
        #expect(contact?["verified"] == true && contact?["counts"] == false)
        let search = try await app.stage.repository.users(with: .email, "jane@example.com", limit: 1)
        let match = UserDocument.match(
            try #require(search.matches.first), by: .email, "jane@example.com", at: app.stage.providers)
        #expect(match["matches"] == [["provider": "zenkey", "verified": true, "counts": false, "own": false]])
    }

    @Test func `is there by its scope, and by no other`() async throws {
        let app = try await APIStage { $0.claims = ["roles"] }
        var said = Self.birthday
        if var object = said.object {
            object.append("roles", ["editor"])
            said = .object(object)
        }
        app.stage.answerUserinfo(said)
        let outcome = try await app.stage.signIn()
        let user = try #require(try await app.stage.repository.user(outcome.signedIn.user))
        let listed = try await app.stage.repository.sessions(of: user.id, now: app.stage.now).first
        let session = try #require(listed)
        func names(_ scope: String) -> Set<String> {
            var writer = JSONWriter()
            let claims = UserClaims(Permissions(scope: scope))
            writer.object { $0.userClaims(user, of: session, claims, by: app.stage.providers) }
            return Set((try? JSONValue(parsing: writer.bytes.span))?.object?.members.map(\.name) ?? [])
        }
        #expect(names("openid") == ["idp"])
        #expect(names("address") == ["idp", "address"])
        #expect(names("postal_code") == ["idp", "postal_code"])
        #expect(names("last_4_social") == ["idp", "last_4_social"])
        #expect(names("claims") == ["idp", "claims"])
        #expect(names("email") == ["idp", "email", "email_verified"])
        #expect(names("profile").isSuperset(of: ["name", "birthdate", "picture"]))
        #expect(
            names("profile").isDisjoint(with: ["email", "phone_number", "address", "postal_code", "last_4_social"]))
        let all = names(Permissions.everything.scope)
        #expect(all.isSuperset(of: ["name", "email", "address", "postal_code", "last_4_social", "claims"]))
        #expect(all.isSubset(of: UserClaims.names))
    }

    @Test func `of an address is an object, and all of it where a provider gives a text`() {
        func address(_ attributes: Attributes) -> JSONValue? {
            var writer = JSONWriter()
            writer.object { $0.address(of: attributes) }
            return (try? JSONValue(parsing: writer.bytes.span))?["address"]
        }
        var attributes = Attributes()
        attributes.setObject("address", json: #"{"country":"US"}"#)
        #expect(address(attributes) == ["country": "US"])
        #expect(address(["address": "1 Main St"]) == ["formatted": "1 Main St"])
        #expect(address([:]) == nil)
    }

    @Test func `is announced, each that can be there and no other`() async throws {
        let app = try await APIStage()
        let metadata = await app.send(.get, IssuerMetadata.paths[0]).json
        let announced = metadata["claims_supported"]?.array?.compactMap(\.string) ?? []
        #expect(Set(announced).count == announced.count)
        #expect(Set(announced).isSuperset(of: UserClaims.names))
        var browser = try await BrowserStage()
        browser.api.stage.answerUserinfo(Self.birthday)
        let answer = await browser.redeem(try await browser.code(["scope": "openid profile email phone"]))
        let there = try Self.idToken(answer).object?.members.map(\.name) ?? []
        #expect(Set(there).isSubset(of: announced))
    }

    @Test func `is in the answer to a posted code, and in the ticket of somebody unknown`() async throws {
        let address: JSONValue = ["country": "US", "locality": "Springfield"]
        let app = try await APIStage()
        app.stage.answerUserinfo(Self.birthday)
        let user = await app.signIn().json["user"]
        #expect(user?["birthdate"] == "2012-05-05" && user?["last_4_social"] == "1234" && user?["address"] == address)
        let newcomers = try await APIStage(registration: .ticket) { $0.claims = ["postal_code"] }
        newcomers.stage.answerUserinfo(Self.birthday)
        let attributes = await newcomers.signIn().json["zenkey_attributes"]
        #expect(attributes?["birthdate"] == ["value": "2012-05-05"])
        #expect(attributes?["last_4_social"] == ["value": "1234"])
        #expect(attributes?["address"] == ["value": address])
        #expect(attributes?["claims"] == ["postal_code": "90210"])
    }
}
