import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@Suite struct `An ID token of a provider's SDK` {
    /// What each dialect's token tells of a user.
    static let told: [(SimulatedIssuer, [String])] = [
        (.apple, ["email"]), (.google, ["email", "name", "given_name"]), (.facebook, ["email", "name"]),
        (.entra, ["email", "name"]), (.auth0, ["email", "name"]), (.okta, ["email", "name"]),
        (.keycloak, ["email", "name", "family_name"]), (.cognito, ["email", "name"]), (.line, ["email", "name"]),
        (.firebase, []),
    ]

    @Test func `signs a user in, and the same user with the next token`() async throws {
        try await NativeFlow.with(SimulatedIssuer.dialects) { flow in
            for (issuer, attributes) in Self.told {
                let first = try await flow.post(flow.ask(issuer), to: issuer.rawValue)
                #expect(first.status == 200 && first["new_user"] == true, "\(issuer) \(first.text)")
                let user = try #require(first["user"], "\(issuer)")
                for name in attributes { #expect(user[name]?.string?.isEmpty == false, "\(issuer) \(name)") }
                if attributes.isEmpty { #expect(user["email"] == nil && user["name"] == nil) }
                let again = try await flow.post(flow.ask(issuer), to: issuer.rawValue)
                #expect(again.status == 200 && again["new_user"] == false, "\(issuer) \(again.text)")
                #expect(again["user"]?["user_id"] == user["user_id"])
                let other = try await flow.post(flow.ask(issuer, "grace"), to: issuer.rawValue)
                #expect(other["new_user"] == true && other["user"]?["user_id"] != user["user_id"], "\(issuer)")
            }
            #expect(try await flow.users() == 2 * Self.told.count)
        }
    }

    @Test func `says what was verified: nothing of Facebook's, and Apple's whatever the spelling`() async throws {
        try await NativeFlow.with([.apple, .facebook]) { flow in
            let facebook = try await flow.post(flow.ask(.facebook), to: "facebook")
            #expect(facebook["user"]?["email_verified"] == false, "\(facebook.text)")
            for name in ["", "id_token_flags_as_text_valid"] {
                let apple = try await flow.post(flow.ask(.apple, misbehaving: name), to: "apple")
                #expect(apple["user"]?["email_verified"] == true, "\(apple.text)")
            }
        }
    }

    /// What is wrong, at every dialect.
    static let faults: [(String, String)] = [
        ("id_token_wrong_audience", "audience"), ("id_token_of_another_app", "audience"),
        ("id_token_azp_of_another_client", "authorized_party"), ("id_token_bad_signature", "signature"),
        ("id_token_alg_none", "algorithm"), ("id_token_alg_none_odd_case", "algorithm"),
        ("id_token_hs256_public_key", "algorithm"), ("id_token_hs256_client_secret", "algorithm"),
        ("id_token_retired_key", "unknown_key"), ("id_token_wrong_issuer", "issuer"),
        ("id_token_missing_iss", "issuer"), ("id_token_expired", "expired"), ("id_token_missing_exp", "expired"),
        ("id_token_missing_iat", "issued_at"), ("id_token_iat_in_future", "issued_at"),
        ("id_token_wrong_nonce", "nonce"), ("id_token_missing_nonce", "nonce"), ("id_token_missing_sub", "subject"),
        ("id_token_is_access_token", "malformed"), ("id_token_duplicate_members", "malformed"),
        ("id_token_unknown_crit", "malformed"), ("id_token_garbage", "malformed"),
    ]

    @Test(arguments: SimulatedIssuer.dialects)
    func `is refused for each rule it breaks, and leaves nothing behind`(issuer: SimulatedIssuer) async throws {
        try await NativeFlow.with([issuer], ["nativeTokenMaxAgeSeconds: 60"]) { flow in
            var all: [NativeFlow.Handed] = []
            for (name, reason) in Self.faults {
                let handed = try await flow.ask(issuer, misbehaving: name)
                try await flow.post(handed, to: issuer.rawValue)
                    .expectRefused(401, "invalid_id_token", reason, "\(issuer) \(name)")
                all.append(handed)
            }
            // Within its own time, and older than the section takes.
            let old = try await flow.ask(issuer, changing: ["age_seconds": "180"])
            try await flow.post(old, to: issuer.rawValue)
                .expectRefused(401, "invalid_id_token", "issued_at", "\(issuer) old")
            #expect(try await flow.users() == 0)
            for handed in all + [old] { flow.expectNothingLogged(of: handed) }
            let url = flow.gatehouse.simulation
            #expect(!flow.gatehouse.log.text.contains(url.subject(of: "ada", for: "", at: issuer)))
        }
    }

    @Test func `is signed as the section allows, whatever else its provider can`() async throws {
        try await NativeFlow.with([.keycloak], ["algorithms: [RS256]"]) { flow in
            try await flow.post(flow.ask(.keycloak, changing: ["algorithm": "ES256"]), to: "keycloak")
                .expectRefused(401, "invalid_id_token", "algorithm")
            let answer = try await flow.post(flow.ask(.keycloak, changing: ["algorithm": "RS256"]), to: "keycloak")
            #expect(answer.status == 200, "\(answer.text)")
        }
    }

    @Test func `is no other provider's`() async throws {
        try await NativeFlow.with(SimulatedIssuer.dialects) { flow in
            let dialects = SimulatedIssuer.dialects
            for (issuer, next) in zip(dialects, dialects.dropFirst() + dialects.prefix(1)) {
                let answer = try await flow.post(flow.ask(issuer), to: next.rawValue)
                #expect(answer.status == 401 && answer["error"] == "invalid_id_token", "\(issuer) \(answer.text)")
            }
            #expect(try await flow.users() == 0)
        }
    }

    @Test func `is taken nowhere but where nativeTokens is on`() async throws {
        try await NativeFlow.with([.google], ["nativeTokens: false", "audiences: []"]) { flow in
            let answer = try await flow.post(flow.ask(.google), to: "google")
            answer.expectRefused(400, "invalid_request")
            #expect(answer["error_description"]?.string?.contains("nativeTokens is off") == true)
        }
    }
}
