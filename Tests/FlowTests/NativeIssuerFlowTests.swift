import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@Suite struct `An ID token of an issuer with several names` {
    private static let elsewhere = "11111111-2222-4333-8444-555555555555"

    private func post(
        _ flow: NativeFlow, tenant: String?, misbehaving name: String? = nil
    ) async throws -> HTTPTestAnswer {
        try await flow.post(flow.ask(.entra, changing: ["tenant": tenant, "misbehave": name]), to: "entra")
    }

    @Test func `is taken for the tenants that are let in, and for no other`() async throws {
        try await NativeFlow.with([.entra]) { flow in
            for tenant in [nil, NativeFlow.home, "common", "organizations"] {
                #expect(try await post(flow, tenant: tenant).status == 200, "\(tenant ?? "none")")
            }
            #expect(try await flow.users() == 1)
            for tenant in [Self.elsewhere, NativeFlow.personal, "consumers"] {
                try await post(flow, tenant: tenant).expectRefused(401, "invalid_id_token", "issuer", tenant)
            }
        }
    }

    @Test func `is one user's of each tenant where all of them are let in`() async throws {
        try await NativeFlow.with([.entra], ["tenants: ['*']"]) { flow in
            for tenant in [NativeFlow.home, Self.elsewhere, NativeFlow.personal] {
                let answer = try await post(flow, tenant: tenant)
                #expect(answer.status == 200 && answer["new_user"] == true, "\(tenant) \(answer.text)")
            }
            #expect(try await flow.users() == 3)
        }
    }

    @Test func `names its tenant twice alike, under a key that may sign for it`() async throws {
        try await NativeFlow.with([.entra], ["tenants: ['*']"]) { flow in
            for name in ["id_token_tid_of_another_tenant", "id_token_key_of_another_tenant"] {
                try await post(flow, tenant: Self.elsewhere, misbehaving: name)
                    .expectRefused(401, "invalid_id_token", "issuer", name)
            }
            #expect(try await flow.users() == 0)
        }
    }

    @Test func `is taken of one tenant alone where that is the issuer`() async throws {
        let lines = [
            "issuer: '{entra}/\(NativeFlow.home)/v2.0'", "tenants: []",
            "discoveryURL: '{entra}/\(NativeFlow.home)/v2.0/.well-known/openid-configuration'",
        ]
        try await NativeFlow.with([.entra], lines) { flow in
            #expect(try await post(flow, tenant: NativeFlow.home).status == 200)
            try await post(flow, tenant: Self.elsewhere).expectRefused(401, "invalid_id_token", "issuer")
            try await post(flow, tenant: NativeFlow.home, misbehaving: "id_token_key_of_another_tenant")
                .expectRefused(401, "invalid_id_token", "issuer")
        }
    }

    @Test func `is found by a policy's own metadata`() async throws {
        let lines = [
            "issuer: '{entra}/tfp/7e6d5c4b-3a29-4817-9605-f4e3d2c1b0a9/b2c_1_signin/v2.0/'", "tenants: []",
            "discoveryURL: '{entra}/b2c/b2c_1_signin/v2.0/.well-known/openid-configuration'",
        ]
        try await NativeFlow.with([.entra], lines) { flow in
            #expect(try await post(flow, tenant: "b2c_1_signin").status == 200)
            try await post(flow, tenant: "b2c_1_edit").expectRefused(401, "invalid_id_token", "issuer")
            try await post(flow, tenant: NativeFlow.home).expectRefused(401, "invalid_id_token", "issuer")
        }
    }

    @Test func `is one user's in either spelling`() async throws {
        let spellings = ["google": ["issuers: ['{google without scheme}']"], "facebook": []]
        for (issuer, lines) in [(SimulatedIssuer.google, spellings["google"]), (.facebook, spellings["facebook"])] {
            try await NativeFlow.with([issuer], lines ?? []) { flow in
                let first = try await flow.post(flow.ask(issuer), to: issuer.rawValue)
                let other = try await flow.ask(issuer, misbehaving: "id_token_other_issuer_spelling_valid")
                let second = try await flow.post(other, to: issuer.rawValue)
                #expect(second.status == 200 && second["new_user"] == false, "\(issuer) \(second.text)")
                #expect(second["user"]?["user_id"] == first["user"]?["user_id"])
            }
        }
    }

    @Test func `is refused in a spelling that nobody has configured`() async throws {
        for issuer in [SimulatedIssuer.google, .facebook] {
            try await NativeFlow.with([issuer], ["issuers: []"]) { flow in
                let other = try await flow.ask(issuer, misbehaving: "id_token_other_issuer_spelling_valid")
                try await flow.post(other, to: issuer.rawValue).expectRefused(401, "invalid_id_token", "issuer")
            }
        }
    }

    @Test func `is not asked about where the metadata are another issuer's that is not configured`() async throws {
        try await NativeFlow.with([.apple], ["issuers: []"]) { flow in
            let answer = try await flow.post(flow.ask(.apple), to: "apple")
            #expect(answer.status == 502 && answer["error"] == "provider_error", "\(answer.text)")
        }
    }
}
