import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@Suite struct `A subscriber who moves to another carrier` {
    @Test(arguments: ["aka_array", "aka_single", "aka_object", "aka_object_array"])
    func `stays the same user, whatever shape the port token comes in`(_ shape: String) async throws {
        try await RunningGatehouse.with { gatehouse in
            let before = try await gatehouse.signIn("ada", at: .aurora)
            let other = try await gatehouse.signIn("ada", at: .aurora)
            gatehouse.simulation.port(subscriber: "ada", to: .borealis)
            let after = try await gatehouse.signIn("ada", at: .borealis, misbehaving: shape)
            #expect(after.status == 200, "\(after.text)")
            #expect(after["migrated"] == true)
            #expect(after["new_user"] == false)
            #expect(after["user"]?["user_id"] == before["user"]?["user_id"])

            // Every session but the one just made is gone.
            for old in [before, other] {
                #expect(try await gatehouse.call("GET", "/users/me", bearer: old["token"]?.string).status == 401)
            }
            #expect(try await gatehouse.call("GET", "/users/me", bearer: after["token"]?.string).status == 200)

            // The port token comes for half a year; it moves nobody a second time.
            let again = try await gatehouse.signIn("ada", at: .borealis)
            #expect(again["migrated"] == false)
            #expect(again["new_user"] == false)
            #expect(again["user"]?["user_id"] == before["user"]?["user_id"])
        }
    }

    @Test(arguments: [
        "port_token_foreign_issuer", "port_token_wrong_audience", "port_token_old", "port_token_iat_in_future",
        "port_token_missing_iat", "port_token_bad_signature", "port_token_current_issuer",
        "port_token_signed_by_current_issuer", "port_token_hs256", "port_token_alg_none", "port_token_new_sub",
        "port_token_missing_sub", "port_token_wrong_typ", "port_token_garbage",
    ])
    func `a subscriber who moves to another carrier is a new user when the port token does not hold`(
        _ misbehaviour: String
    ) async throws {
        try await RunningGatehouse.with { gatehouse in
            let before = try await gatehouse.signIn("ada", at: .aurora)
            gatehouse.simulation.port(subscriber: "ada", to: .borealis)
            let after = try await gatehouse.signIn("ada", at: .borealis, misbehaving: misbehaviour)
            #expect(after.status == 200, "\(after.text)")
            #expect(after["migrated"] == false)
            #expect(after["new_user"] == true)
            #expect(after["user"]?["user_id"] != before["user"]?["user_id"])
        }
    }

    @Test func `a subscriber who moves to another carrier never has an issuer asked that is not trusted`() async throws
    {
        try await RunningGatehouse.with(zenkey: ["portTokenMaxAgeDays: 0"]) { gatehouse in
            _ = try await gatehouse.signIn("ada", at: .borealis, misbehaving: "port_token_foreign_issuer")
            // The plain provider has the same host; what makes it foreign here is that its token is for nobody.
            let trusting = try await gatehouse.signIn("ada", at: .borealis)
            #expect(trusting.status == 200)
        }
    }

    @Test func `with a new account already is offered to make both one, and does so as both users`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let before = try await gatehouse.signIn("ada", at: .aurora)
            gatehouse.simulation.port(subscriber: "ada", to: .borealis)
            let new = try await gatehouse.signIn("ada", at: .borealis, misbehaving: "port_token_garbage")
            #expect(new["new_user"] == true && new["merge_offered"] == nil)
            let late = try await gatehouse.signIn("ada", at: .borealis)
            #expect(late.status == 200, "\(late.text)")
            #expect(late["merge_offered"] == true && late["migrated"] == false)
            #expect(late["user"]?["user_id"] == new["user"]?["user_id"])
            // It moves nobody, however often it comes.
            let old = try await gatehouse.call("GET", "/users/me", bearer: before["token"]?.string)
            #expect(old["user_id"] == before["user"]?["user_id"])
            let token = try #require(before["token"]?.string)
            let merged = try await gatehouse.call(
                "POST", "/users/me/merge", bearer: late["token"]?.string, form: ["token": token])
            #expect(merged.status == 200, "\(merged.text)")
            #expect(merged["user_id"] == late["user"]?["user_id"])
            #expect(merged["merged_user_id"] == before["user"]?["user_id"])
            #expect(try await gatehouse.call("GET", "/users/me", bearer: token).status == 401)
            let again = try await gatehouse.signIn("ada", at: .borealis)
            #expect(again["merge_offered"] == nil && again["user"]?["user_id"] == late["user"]?["user_id"])
        }
    }

    /// Ada has an account at each carrier.
    private func withTwoAccounts(_ gatehouse: RunningGatehouse) async throws {
        _ = try await gatehouse.signIn("ada", at: .aurora)
        gatehouse.simulation.port(subscriber: "ada", to: .borealis)
        #expect(try await gatehouse.signIn("ada", at: .borealis, misbehaving: "port_token_garbage")["new_user"] == true)
    }

    @Test func `with a new account already is offered it again when the answer is asked for again`() async throws {
        try await RunningGatehouse.with { gatehouse in
            try await withTwoAccounts(gatehouse)
            let authorized = try await gatehouse.authorize("ada", at: .borealis)
            for _ in 0..<2 {
                let answer = try await gatehouse.signIn(authorized)
                #expect(answer["merge_offered"] == true, "\(answer.text)")
            }
        }
    }

    @Test func `with a new account already is offered it through the browser, once`() async throws {
        try await BrowserFlow.with { gatehouse in
            try await withTwoAccounts(gatehouse)
            var browser = BrowserFlow(gatehouse)
            let mccmnc = try #require(gatehouse.simulation.mccmnc(of: .borealis))
            let answer = try await browser.redeem(try await browser.code(["mccmnc": mccmnc]))
            #expect(answer.status == 200 && answer["merge_offered"] == true, "\(answer.text)")
            let refreshed = try await gatehouse.call(
                "POST", "/auth/token",
                form: [
                    "grant_type": "refresh_token", "client_id": "desk",
                    "refresh_token": try #require(answer["refresh_token"]?.string),
                ])
            #expect(refreshed.status == 200 && refreshed["merge_offered"] == nil, "\(refreshed.text)")
        }
    }

    @Test func `with a new account already is offered it on the phone`() async throws {
        try await PushFlow.with { flow in
            try await withTwoAccounts(flow.gatehouse)
            let mccmnc = try #require(flow.gatehouse.simulation.mccmnc(of: .borealis))
            let id = try await flow.begun(["mccmnc": .string(mccmnc)])
            await #expect(try flow.answer(at: .borealis) == [200])
            let answer = try await flow.ended(id)
            #expect(answer.status == 302 && answer["merge_offered"] == true, "\(answer.text)")
        }
    }

    @Test func `needs no carrier to be asked when the subject is known`() async throws {
        try await RunningGatehouse.with { gatehouse in
            _ = try await gatehouse.signIn("ada", at: .aurora)
            gatehouse.simulation.port(subscriber: "ada", to: .borealis)
            #expect(try await gatehouse.signIn("ada", at: .borealis)["migrated"] == true)
            let asked = gatehouse.simulation.counts[.aurora, .configuration]
            #expect(try await gatehouse.signIn("ada", at: .borealis).status == 200)
            #expect(gatehouse.simulation.counts[.aurora, .configuration] == asked)
        }
    }

    @Test func `a subscriber who moves to another carrier is not made a new user while the old carrier can't be asked`()
        async throws
    {
        try await RunningGatehouse.with { gatehouse in
            let before = try await gatehouse.signIn("ada", at: .aurora)
            gatehouse.simulation.port(subscriber: "ada", to: .borealis)
            gatehouse.simulation.misbehave(.answer(.serviceUnavailable), at: .configuration, of: .aurora)
            let failed = try await gatehouse.signIn("ada", at: .borealis)
            #expect(failed.status == 502, "\(failed.text)")
            gatehouse.simulation.behave()
            try await Task.sleep(for: .milliseconds(1100))  // a failed fetch is answered from memory for a second
            let after = try await gatehouse.signIn("ada", at: .borealis)
            #expect(after["migrated"] == true, "\(after.text)")
            #expect(after["user"]?["user_id"] == before["user"]?["user_id"])
        }
    }
}
