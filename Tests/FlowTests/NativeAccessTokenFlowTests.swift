import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@Suite struct `An access token beside an ID token that an app posts` {
    private static let organization = [
        "issuer: '{okta}'", "scopes: [openid, profile, email]",
    ]

    /// A token of Okta's organization, whose address stands only in userinfo.
    private func ask(_ flow: NativeFlow, misbehaving name: String? = nil) async throws -> NativeFlow.Handed {
        try await flow.ask(.okta, changing: ["tenant": "org", "misbehave": name])
    }

    private func post(
        _ flow: NativeFlow, _ handed: NativeFlow.Handed, access: JSONValue? = nil
    ) async throws -> HTTPTestAnswer {
        try await flow.post(handed, to: "okta", ["access_token": access ?? handed.answer["access_token"]])
    }

    private func fetches(_ flow: NativeFlow) -> Int { flow.gatehouse.simulation.counts[.okta, .userinfo] }

    @Test(arguments: ["optional", "required"])
    func `tells what the ID token does not`(userinfo: String) async throws {
        try await NativeFlow.with([.okta], Self.organization + ["userinfo: \(userinfo)"]) { flow in
            let alone = try await flow.post(ask(flow), to: "okta")
            #expect(alone.status == 200 && alone["user"]?["email"] == nil, "\(alone.text)")
            #expect(fetches(flow) == 0)
            let both = try await post(flow, ask(flow))
            #expect(both.status == 200 && both["user"]?["email"] == "ada@example.com", "\(both.text)")
            #expect(fetches(flow) == 1)
        }
    }

    @Test func `is not shown to anybody where userinfo is off`() async throws {
        try await NativeFlow.with([.okta], Self.organization) { flow in
            let answer = try await post(flow, ask(flow))
            #expect(answer.status == 200 && fetches(flow) == 0, "\(answer.text)")
        }
    }

    @Test func `is refused with its ID token where at_hash is another one's, and shown to nobody`() async throws {
        try await NativeFlow.with([.okta], Self.organization + ["userinfo: optional"]) { flow in
            let (mine, thief) = (try await ask(flow), try await ask(flow))
            let answers = [
                try await post(flow, ask(flow, misbehaving: "id_token_wrong_at_hash")),
                try await post(flow, mine, access: thief.answer["access_token"]),
                try await post(flow, mine, access: "made-up"),
            ]
            for answer in answers { answer.expectRefused(401, "invalid_id_token", "at_hash") }
            #expect(fetches(flow) == 0)
            #expect(try await flow.users() == 0)
            #expect(try await post(flow, mine).status == 200)
        }
    }

    @Test func `is not used where the ID token says nothing of it`() async throws {
        try await NativeFlow.with([.okta], Self.organization + ["userinfo: required"]) { flow in
            let answer = try await post(flow, ask(flow, misbehaving: "id_token_missing_at_hash"))
            #expect(answer.status == 200 && answer["user"]?["email"] == nil, "\(answer.text)")
            #expect(fetches(flow) == 0)
        }
        try await NativeFlow.with([.facebook, .line], ["userinfo: optional"]) { flow in
            for issuer in [SimulatedIssuer.facebook, .line] {
                let handed = try await flow.ask(issuer)
                let access = try #require(handed.answer["access_token"])
                #expect(try await flow.post(handed, to: issuer.rawValue, ["access_token": access]).status == 200)
            }
        }
    }

    @Test(arguments: ["optional", "required"])
    func `brings nobody else's attributes`(userinfo: String) async throws {
        try await NativeFlow.with([.okta], Self.organization + ["userinfo: \(userinfo)"]) { flow in
            let handed = try await ask(flow)
            flow.gatehouse.simulation.misbehave(.userinfo(.otherSubject), of: .okta, times: 1)
            try await post(flow, handed).expectRefused(401, "userinfo_mismatch")
            #expect(try await flow.users() == 0)
            #expect(try await post(flow, handed).status == 200)
        }
    }

    @Test func `that userinfo refuses is a gap where it is optional, and a failure where it is required`() async throws
    {
        for (userinfo, status) in [("optional", 200), ("required", 502)] {
            try await NativeFlow.with([.okta], Self.organization + ["userinfo: \(userinfo)"]) { flow in
                flow.gatehouse.simulation.misbehave(.userinfo(.unauthorized), of: .okta, times: 1)
                let answer = try await post(flow, ask(flow))
                #expect(answer.status == status, "\(answer.text)")
            }
        }
    }

    @Test func `is none that could be a header's end`() async throws {
        try await NativeFlow.with([.okta], Self.organization) { flow in
            for text in ["a\r\nX: y", "a b", "ä"] {
                try await post(flow, ask(flow), access: .string(text)).expectRefused(400, "invalid_request")
            }
        }
    }
}
