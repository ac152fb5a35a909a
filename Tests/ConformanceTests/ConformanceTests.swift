import Foundation
import HTTPTesting
import JSON
import Testing

@Suite struct `A relying party as the OpenID Foundation wants it` {
    @Test(arguments: ConformanceModule.all(by: .postedCode))
    func `takes or refuses a code that an app posts`(_ module: ConformanceModule) async throws {
        try await RelyingParty.with(module.script, settings: module.settings) { relyingParty in
            for _ in 0..<module.signIns {
                let answer = try await relyingParty.postCode(module.request)
                let comment = Comment(rawValue: "\(module.explanation): \(answer.status) \(answer.text)")
                let (status, error, reason) = module.verdict.answer
                #expect(answer.status == status, comment)
                #expect(answer.error == error, comment)
                #expect(answer["reason"]?.string == reason, comment)
                guard case .accept = module.verdict else { continue }
                let user = try await relyingParty.call(
                    "GET", "/users/me", headers: ["Authorization": "Bearer \(answer["token"]?.string ?? "")"])
                #expect(user["email"]?.string == ScriptedProvider.email, "\(user.text)")
            }
            try await look(at: relyingParty, after: module)
        }
    }

    @Test(arguments: ConformanceModule.all(by: .browser))
    func `takes or refuses what a browser brings back`(_ module: ConformanceModule) async throws {
        try await RelyingParty.with(module.script, settings: module.settings) { relyingParty in
            for _ in 0..<module.signIns {
                let browser = BrowserSignIn(relyingParty)
                switch try await browser.outcome(module.request) {
                case .page(let page):
                    guard case .refuseState = module.verdict else {
                        Issue.record("\(module.explanation): \(page.status) \(page.text)")
                        continue
                    }
                    #expect(page.status == 400, "\(page.text)")
                case .app(let location):
                    #expect(location["state"] == browser.state && location["iss"] == RelyingParty.origin)
                    try await look(at: location, of: browser, at: relyingParty, after: module)
                }
            }
            try await look(at: relyingParty, after: module)
        }
    }

    /// What the app has got.
    private func look(
        at location: URLComponents, of browser: BrowserSignIn, at relyingParty: RelyingParty,
        after module: ConformanceModule
    ) async throws {
        let comment = Comment(rawValue: "\(module.explanation): \(location)")
        guard case .accept = module.verdict else {
            #expect(location["code"] == nil && location["error"] == module.verdict.code, comment)
            #expect(location["error_description"]?.contains(module.verdict.word) == true, comment)
            return
        }
        #expect(location["error"] == nil, comment)
        let tokens = try await browser.redeem(location["code"])
        #expect(tokens.status == 200, "\(module.explanation): \(tokens.text)")
        let claims = BrowserSignIn.claims(of: tokens["id_token"]?.string)
        #expect(claims["aud"]?.string == RelyingParty.appID && claims["nonce"]?.string == browser.nonce)
        let userinfo = try await relyingParty.call(
            "GET", "/auth/userinfo",
            headers: ["Authorization": "Bearer \(tokens["access_token"]?.string ?? "")"])
        #expect(userinfo["sub"] == claims["sub"] && userinfo["email"]?.string == ScriptedProvider.email)
    }

    /// Whether only who was to come in is in, and the provider was asked nothing after a refusal, and nothing wrong.
    private func look(at relyingParty: RelyingParty, after module: ConformanceModule) async throws {
        let record = relyingParty.provider.record
        #expect(record.faults.isEmpty, "\(module.explanation): \(record.faults)")
        let users = try await relyingParty.users()
        switch module.verdict {
        case .accept: #expect(users == 1)
        case .refuseUserinfo: #expect(users == 0)
        case .refuseIDToken: #expect(users == 0 && record.requests(at: .userinfo) == 0)
        case .refuseProvider, .refuseIssuerOfResponse, .refuseResponseWithoutIssuer, .refuseState:
            #expect(users == 0 && record.requests(at: .token) == 0)
        }
    }
}

extension ConformanceModule.Verdict {
    /// What an app is answered that has posted the code.
    fileprivate var answer: (status: Int, error: String?, reason: String?) {
        switch self {
        case .accept: (200, nil, nil)
        case .refuseIDToken(let rule): (401, "invalid_id_token", rule)
        case .refuseUserinfo: (401, "userinfo_mismatch", nil)
        case .refuseProvider: (502, "provider_error", nil)
        case .refuseIssuerOfResponse, .refuseResponseWithoutIssuer, .refuseState: (400, "issuer_mismatch", nil)
        }
    }

    /// What the app is told that has sent a browser (RFC 6749 §4.1.2.1). What is wrong with a provider neither the app
    /// nor its user can mend.
    fileprivate var code: String? {
        switch self {
        case .accept, .refuseState: nil
        case .refuseIDToken, .refuseUserinfo, .refuseProvider, .refuseIssuerOfResponse: "server_error"
        case .refuseResponseWithoutIssuer: "invalid_request"
        }
    }

    /// And among the other words in any case.
    fileprivate var word: String {
        switch self {
        case .accept, .refuseState: ""
        case .refuseIDToken(let rule): "(\(rule))"
        case .refuseUserinfo: "userinfo"
        case .refuseProvider: "discovery"
        case .refuseIssuerOfResponse, .refuseResponseWithoutIssuer: "iss"
        }
    }
}
