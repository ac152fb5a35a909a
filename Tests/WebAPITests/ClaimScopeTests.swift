import Accounts
import Apps
import HTTPServer
import HTTPTesting
import JSON
import Providers
import Syntax
import TestSupport
import Testing

@testable import WebAPI

/// Where each claim is told that a scope gives, and that nothing else gives it.
@Suite struct `A claim of a scope` {
    /// A claim, by what it is given, and what it is where it is told.
    struct Claim: CustomTestStringConvertible, Sendable {
        let name: String
        let scope: Permission
        let value: JSONValue
        /// As a ticket's attributes have it, which are objects with the value.
        var inTicket: JSONValue { scope == .claims ? value : ["value": value] }

        var testDescription: String { name }
    }

    static let claims = [
        Claim(name: "birthdate", scope: .profile, value: "2012-05-05"),
        Claim(name: "address", scope: .address, value: ["country": "US", "locality": "Springfield"]),
        Claim(name: "postal_code", scope: .postalCode, value: "90210"),
        Claim(name: "last_4_social", scope: .lastFourSocial, value: "1234"),
        Claim(name: "claims", scope: .claims, value: ["roles": ["editor"]]),
    ]
    private static let said: JSONValue = [
        "sub": "310260-subject", "name": "Jane Doe", "birthdate": "2012-05-05", "postal_code": "90210",
        "last_4_social": "1234", "address": ["country": "US", "locality": "Springfield"], "roles": ["editor"],
    ]

    private static func payload(_ token: String?) throws -> JSONValue {
        let parts = try #require(token).split(separator: ".")
        return try JSONValue(parsing: try #require(Base64URL.decode(String(parts[1]))))
    }

    @Test(arguments: claims) func `is in the ID token and in userinfo for an app that asks for it`(
        claim: Claim
    ) async throws {
        for (scope, expected) in [("openid \(claim.scope.rawValue)", claim.value), ("openid email", nil)] {
            var browser = try await BrowserStage { $0.claims = ["roles"] }
            browser.api.stage.answerUserinfo(Self.said)
            let answer = await browser.redeem(try await browser.code(["scope": scope]))
            let bearer = bearer(try #require(answer.json["access_token"]?.string))
            let userinfo = await browser.api.send(.get, "/auth/userinfo", headers: bearer).json
            #expect(userinfo[claim.name] == expected, "\(scope)")
            #expect(try Self.payload(answer.json["id_token"]?.string)[claim.name] == expected, "\(scope)")
        }
    }

    @Test(arguments: claims) func `is in the answer to a posted code as far as session.scopes has it`(
        claim: Claim
    ) async throws {
        for (permissions, expected) in [
            (Permissions.everything, claim.value), (Permissions([.openid, claim.scope]), claim.value),
            (Permissions.everything.subtracting(Permissions([claim.scope])), nil),
        ] {
            let app = try await APIStage(permissions: permissions) { $0.claims = ["roles"] }
            app.stage.answerUserinfo(Self.said)
            #expect(await app.signIn().json["user"]?[claim.name] == expected, "\(permissions.scope)")
        }
    }

    @Test(arguments: claims) func `is in a ticket's attributes as far as session.scopes has it`(
        claim: Claim
    ) async throws {
        for (permissions, expected) in [
            (Permissions.everything, claim.inTicket), (Permissions([.openid, claim.scope]), claim.inTicket),
            (Permissions.everything.subtracting(Permissions([claim.scope])), nil),
        ] {
            let app = try await APIStage(registration: .ticket, permissions: permissions) { $0.claims = ["roles"] }
            app.stage.answerUserinfo(Self.said)
            let answer = await app.signIn()
            #expect(answer.json["link_ticket"] != nil)
            #expect(answer.json["zenkey_attributes"]?[claim.name] == expected, "\(permissions.scope)")
        }
    }

    @Test func `that is an address as a text is an object in a ticket too`() async throws {
        let app = try await APIStage(registration: .ticket)
        app.stage.answerUserinfo(["sub": "310260-subject", "address": "1 Main St"])
        let attributes = await app.signIn().json["zenkey_attributes"]
        #expect(attributes?["address"] == ["value": ["formatted": "1 Main St"]])
    }
}
