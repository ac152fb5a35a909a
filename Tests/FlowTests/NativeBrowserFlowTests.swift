import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@Suite struct `A browser at a provider that people use` {
    @Test func `signs in whom its app's SDK signs in, too`() async throws {
        let issuers: [SimulatedIssuer] = [.google, .auth0, .okta, .keycloak, .cognito]
        try await NativeFlow.with(issuers, top: BrowserFlow.configuration) { flow in
            for issuer in issuers {
                var browser = BrowserFlow(flow.gatehouse)
                let code = try await browser.code(["provider": issuer.rawValue])
                let tokens = try await browser.redeem(code)
                #expect(tokens.status == 200, "\(issuer) \(tokens.text)")
                let native = try await flow.post(flow.ask(issuer), to: issuer.rawValue)
                #expect(native.status == 200 && native["new_user"] == false, "\(issuer) \(native.text)")
            }
            #expect(try await flow.users() == issuers.count)
        }
    }

    /// The metadata, and what came back with the browser, name the template; the token names a tenant.
    @Test func `signs in at an address of several tenants, if its own is let in`() async throws {
        try await NativeFlow.with([.entra], top: BrowserFlow.configuration) { flow in
            var browser = BrowserFlow(flow.gatehouse)
            let tokens = try await browser.redeem(try await browser.code(["provider": "entra"]))
            #expect(tokens.status == 200, "\(tokens.text)")
        }
        let other = ["tenants: [11111111-2222-4333-8444-555555555555]"]
        try await NativeFlow.with([.entra], other, top: BrowserFlow.configuration) { flow in
            var browser = BrowserFlow(flow.gatehouse)
            let back = try await browser.comeBack(try await browser.throughProvider(["provider": "entra"]))
            let location = try BrowserFlow.location(of: back)
            #expect(location["code"] == nil && location["error"] != nil, "\(location)")
            #expect(try await flow.users() == 0)
        }
    }

    @Test func `signs in at Apple as the Services ID, and by its code as the app`() async throws {
        let lines = ["responseMode: form_post", "scopes: [openid, name, email]"]
        try await NativeAppleFlow.with(lines, top: BrowserFlow.configuration) { apple in
            var browser = BrowserFlow(apple.gatehouse)
            let form = try await browser.formOfProvider(["provider": "apple"])
            let tokens = try await browser.redeem(try await browser.code(posting: form))
            #expect(tokens.status == 200, "\(tokens.text)")
            let person = try await apple.person(tokens)
            #expect(person["email"] == "ada@example.com" && person["name"] == "Ada Lovelace", "\(person)")
            let exchange = try #require(apple.gatehouse.simulation.requests(at: .token).last)
            #expect(exchange.formField("client_id") == NativeAppleFlow.web)
            let native = try await apple.post(apple.ask())
            #expect(native.status == 200 && native["new_user"] == false, "\(native.text)")
        }
    }

    /// Anybody can write an address, so a name in one is nobody's word.
    @Test(arguments: [
        ("responseMode: query", "scopes: [openid]"), ("responseMode: form_post", "scopes: [openid, name, email]"),
    ])
    func `takes a name from the form of a provider that answers by one alone`(mode: String, scopes: String) async throws
    {
        try await NativeAppleFlow.with([mode, scopes], top: BrowserFlow.configuration) { apple in
            var browser = BrowserFlow(apple.gatehouse)
            let isForm = mode.hasSuffix("form_post")
            var answer =
                try await isForm
                ? browser.formOfProvider(["provider": "apple"]) : browser.throughProvider(["provider": "apple"]).form
            answer.fields["user"] = #"{"name":{"firstName":"Mallory","lastName":"Smith"}}"#
            let tokens = try await browser.redeem(try await browser.code(posting: answer))
            #expect(tokens.status == 200, "\(tokens.text)")
            #expect(try await apple.person(tokens)["name"] == (isForm ? "Mallory Smith" : nil))
        }
    }
}

extension NativeAppleFlow {
    /// What the service knows of whom an app holds tokens of.
    fileprivate func person(_ tokens: HTTPTestAnswer) async throws -> JSONValue {
        let answer = try await gatehouse.call("GET", "/users/me", bearer: try #require(tokens["access_token"]?.string))
        #expect(answer.status == 200, "\(answer.text)")
        return answer.json
    }
}

@Suite struct `The move of an app to another team at Apple` {
    @Test func `carries its users over, whose SDK shows both names`() async throws {
        try await NativeAppleFlow.with { apple in
            let before = try await apple.flow.post(apple.ask(), to: "apple")
            let stays = try await apple.flow.post(apple.ask("grace"), to: "apple")
            let prepared = try await apple.transfer(to: "NEWTEAM001")
            #expect(prepared.status == 0 && prepared.json["noted"] == 2, "\(prepared.everything)")
            let form = Array(FormText.encode(["subscriber": "ada", "to_team": "NEWTEAM001"]).utf8)
            let moved = try await apple.flow.send(
                "/apple/control/transfer", form, type: "application/x-www-form-urlencoded")
            #expect(moved.status == 200, "\(moved.text)")
            let after = try await apple.flow.post(apple.ask(), to: "apple")
            #expect(after.status == 200 && after["migrated"] == true && after["new_user"] == false, "\(after.text)")
            #expect(after["user"]?["user_id"] == before["user"]?["user_id"])
            let again = try await apple.flow.post(apple.ask(), to: "apple")
            #expect(again["migrated"] == false && again["user"]?["user_id"] == before["user"]?["user_id"])
            let other = try await apple.flow.post(apple.ask("grace"), to: "apple")
            #expect(other["migrated"] == false && other["user"]?["user_id"] == stays["user"]?["user_id"])
            #expect(try await apple.flow.users() == 2)
        }
    }

    @Test func `moves nobody who was not asked about`() async throws {
        try await NativeAppleFlow.with { apple in
            let before = try await apple.flow.post(apple.ask(), to: "apple")
            let form = Array(FormText.encode(["subscriber": "ada", "to_team": "NEWTEAM001"]).utf8)
            _ = try await apple.flow.send("/apple/control/transfer", form, type: "application/x-www-form-urlencoded")
            let after = try await apple.flow.post(apple.ask(), to: "apple")
            #expect(after["new_user"] == true && after["user"]?["user_id"] != before["user"]?["user_id"])
        }
    }
}
