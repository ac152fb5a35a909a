import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@Suite struct `A user who shows an ID token of an SDK's` {
    private func session(
        _ flow: NativeFlow, _ issuer: SimulatedIssuer, misbehaving name: String = ""
    ) async throws -> [String: String] {
        let signedIn = try await flow.post(flow.ask(issuer, misbehaving: name), to: issuer.rawValue)
        return ["Authorization": "Bearer \(try #require(signedIn["token"]?.string, "\(signedIn.text)"))"]
    }

    private func link(
        _ flow: NativeFlow, _ handed: NativeFlow.Handed, to provider: String, _ bearer: [String: String]
    ) async throws -> HTTPTestAnswer {
        try await flow.gatehouse.post("/users/me/identities", handed.body(provider), bearer)
    }

    @Test func `links one more identity with it, and signs in with that`() async throws {
        try await NativeFlow.with([.keycloak, .line]) { flow in
            let bearer = try await session(flow, .keycloak)
            let handed = try await flow.ask(.line)
            try await flow.gatehouse.post("/users/me/identities", handed.body("line", ["nonce": "another"]), bearer)
                .expectRefused(401, "invalid_id_token", "nonce")
            #expect(try await link(flow, handed, to: "line", bearer).status == 201)
            try await flow.post(handed, to: "line").expectRefused(401, "invalid_grant")
            let signedIn = try await flow.post(flow.ask(.line), to: "line")
            #expect(signedIn["new_user"] == false, "\(signedIn.text)")
            #expect(try await flow.users() == 1)
        }
    }

    @Test func `links none that is somebody else's, nor one that was posted before`() async throws {
        try await NativeFlow.with([.keycloak, .line]) { flow in
            let used = try await flow.ask(.line)
            #expect(try await flow.post(used, to: "line").status == 200)
            let bearer = try await session(flow, .keycloak)
            try await link(flow, used, to: "line", bearer).expectRefused(401, "invalid_grant")
            try await link(flow, flow.ask(.line), to: "line", bearer).expectRefused(409, "identity_in_use")
            try await link(flow, flow.ask(.line), to: "line", [:]).expectRefused(401, "invalid_token")
            #expect(try await flow.users() == 2)
        }
    }

    @Test func `links nothing long after they have authenticated, and uses nothing up for it`() async throws {
        try await NativeFlow.with([.keycloak, .line]) { flow in
            let old = try await session(flow, .keycloak, misbehaving: "id_token_old_auth_time")
            let handed = try await flow.ask(.line)
            try await link(flow, handed, to: "line", old).expectRefused(401, "insufficient_user_authentication")
            let fresh = try await session(flow, .keycloak)
            #expect(try await link(flow, handed, to: "line", fresh).status == 201)
        }
    }

    @Test func `registers with it where the app asks for that`() async throws {
        try await NativeFlow.with([.firebase], top: "registration: ticket") { flow in
            let handed = try await flow.ask(.firebase)
            let unknown = try await flow.post(handed, to: "firebase")
            unknown.expectRefused(403, "unlinked_user")
            #expect(try await flow.users() == 0)
            let ticket = try #require(unknown["link_ticket"]?.string)
            #expect(try await flow.post(handed, to: "firebase")["link_ticket"]?.string == ticket)
            let registered = try await flow.gatehouse.call("POST", "/users", form: ["link_ticket": ticket])
            #expect((200...201).contains(registered.status), "\(registered.text)")
            let signedIn = try await flow.post(flow.ask(.firebase), to: "firebase")
            #expect(signedIn.status == 200 && signedIn["new_user"] == false, "\(signedIn.text)")
            #expect(try await flow.users() == 1)
        }
    }
}

@Suite struct `A transaction with an ID token of an SDK's` {
    /// What stands in the token of an issuer that was asked for a context.
    private static let context = "Transfer everything to somebody else"
    private static let shows = "id_token_wrong_context"

    private func approve(
        _ flow: NativeFlow, _ handed: NativeFlow.Handed, _ bearer: [String: String],
        _ changes: [String: JSONValue?] = [:]
    ) async throws -> HTTPTestAnswer {
        let asked: [String: JSONValue?] = ["context": .string(Self.context), "acr_values": "1"]
        return try await flow.gatehouse.post(
            "/auth/transaction", handed.body("keycloak", asked.merging(changes) { $1 }), bearer)
    }

    private func session(_ flow: NativeFlow) async throws -> [String: String] {
        let signedIn = try await flow.post(flow.ask(.keycloak), to: "keycloak")
        return ["Authorization": "Bearer \(try #require(signedIn["token"]?.string, "\(signedIn.text)"))"]
    }

    @Test func `is approved once, by that user`() async throws {
        try await NativeFlow.with([.keycloak]) { flow in
            let bearer = try await session(flow)
            let handed = try await flow.ask(.keycloak, misbehaving: Self.shows)
            let approved = try await approve(flow, handed, bearer)
            #expect(approved.status == 200 && approved["receipt"]?.string?.isEmpty == false, "\(approved.text)")
            try await approve(flow, handed, bearer, ["correlation_id": "thief"]).expectRefused(401, "invalid_grant")
            let other = try await flow.ask(.keycloak, "grace", changing: ["misbehave": Self.shows])
            try await approve(flow, other, bearer).expectRefused(401, "invalid_id_token", "subject")
        }
    }

    /// What is wrong beside the right context, or in its place, and the reason that is given.
    @Test(
        arguments: [
            ("", "context"), ("id_token_missing_auth_time", "auth_time"), ("id_token_old_auth_time", "auth_time"),
            ("id_token_missing_acr", "acr"), ("id_token_missing_nonce", "nonce"),
        ] as [(String, String)])
    func `is approved by a token that shows what was asked, just now`(name: String, reason: String) async throws {
        try await NativeFlow.with([.keycloak]) { flow in
            let bearer = try await session(flow)
            let names = name.isEmpty ? "" : "\(Self.shows),\(name)"
            let handed = try await flow.ask(.keycloak, misbehaving: names)
            try await approve(flow, handed, bearer).expectRefused(401, "invalid_id_token", reason, name)
        }
    }

    @Test func `is not approved by a level of the provider's that nobody has asked for`() async throws {
        try await NativeFlow.with([.keycloak]) { flow in
            let handed = try await flow.ask(.keycloak, misbehaving: Self.shows)
            try await approve(flow, handed, session(flow), ["acr_values": nil])
                .expectRefused(401, "invalid_id_token", "acr")
        }
    }

    @Test func `is not approved where no nonce ties the token to this moment`() async throws {
        try await NativeFlow.with([.keycloak], ["nativeNonce: none"]) { flow in
            let first = try await flow.post(
                flow.ask(.keycloak, changing: ["nonce": nil]), to: "keycloak", ["nonce": nil])
            let bearer = ["Authorization": "Bearer \(try #require(first["token"]?.string, "\(first.text)"))"]
            let handed = try await flow.ask(.keycloak, misbehaving: Self.shows)
            try await approve(flow, handed, bearer).expectRefused(400, "invalid_request")
        }
    }
}
