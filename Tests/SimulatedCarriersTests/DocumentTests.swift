import Crypto
import HTTPTesting
import JOSE
import JSON
import SimulatedCarriers
import Testing

@Suite struct `Discovery` {
    private static let client = "client_id=ccid-0123456789abcdef"

    @Test func `finds each carrier, as irregular as it is`() async throws {
        try await withSimulation { simulation throws in
            let aurora = try LoopbackClient.get("\(simulation.discovery)?\(Self.client)&mccmnc=310410").object
            #expect(aurora["issuer"]?.string == simulation.aurora)
            #expect(aurora["mccmnc"]?.integer == 310_410)
            #expect(aurora["request_parameter_supported"] == [true])
            #expect(aurora["usertraits_supported"]?.string != nil)
            #expect(aurora["jwks_uri"]?.string?.hasPrefix(simulation.aurora) == false)
            let borealis = try LoopbackClient.get("\(simulation.discovery)?\(Self.client)&mccmnc=311480").object
            #expect(borealis["issuer"]?.string == simulation.borealis)
            #expect(borealis["mccmnc"]?.string == "311480")
        }
    }

    @Test func `names the page for a network it does not know, inside a 200`() async throws {
        try await withSimulation { simulation throws in
            for query in ["mccmnc=999999", "", "mccmnc=310410&prompt=true"] {
                let answer = try LoopbackClient.get("\(simulation.discovery)?\(Self.client)&\(query)")
                #expect(answer.status == 200)
                #expect(try answer.error == "provider_not_found")
                #expect(try answer.object["redirect_uri"]?.string == simulation.discoveryUI)
            }
        }
    }

    @Test func `knows its clients`() async throws {
        try await withSimulation { simulation throws in
            let answer = try LoopbackClient.get("\(simulation.discovery)?client_id=nobody&mccmnc=310410")
            #expect(answer.status == 200)
            #expect(try answer.error == "invalid_request")
        }
    }

    @Test func `lets a person choose a carrier, and the carrier takes its login hint token`() async throws {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: .aurora)
            let fields = [("client_id", signIn.clientID), ("redirect_uri", signIn.redirectURI), ("state", "s")]
            let page = try LoopbackClient.get("\(simulation.discoveryUI)?\(FormText.encode(fields))")
            #expect(page.text.contains("Borealis Wireless"))
            let chosen = fields + [("mccmnc", "310410"), ("login_hint", "linus")]
            let answer = try LoopbackClient.get("\(simulation.discoveryUI)?\(FormText.encode(chosen))")
            #expect(answer.status == 303)
            let parameters = FormText.query(of: answer.header("Location") ?? "")
            #expect(parameters["mccmnc"] == "310410")
            #expect(parameters["state"] == "s")
            let token = try #require(parameters["login_hint_token"])
            let claims = try signIn.tokens(["login_hint": nil, "login_hint_token": token]).idToken.claims
            #expect(claims["sub"]?.string == simulation.subject(of: "linus", for: signIn.clientID, at: .aurora))
            let elsewhere = try LoopbackClient.get(
                "\(simulation.discoveryUI)?\(Self.client)&redirect_uri=https%3A%2F%2Fevil.example.com")
            #expect(elsewhere.status == 400)
        }
    }

    @Test func `spoils documents on demand, for one carrier and so many times`() async throws {
        try await withSimulation { simulation throws in
            func document() throws -> JSONObject {
                try LoopbackClient.get("\(simulation.discovery)?\(Self.client)&mccmnc=310410").object
            }
            func spoilt(_ misbehaviour: DocumentMisbehaviour) throws -> JSONObject {
                simulation.misbehave(.document(misbehaviour), of: .aurora, times: 1)
                return try document()
            }
            #expect(try spoilt(.otherIssuer)["issuer"]?.string == simulation.aurora + "/other")
            #expect(try document()["issuer"]?.string == simulation.aurora)
            #expect(try spoilt(.withoutIssuer)["issuer"] == nil)
            #expect(try spoilt(.withoutTokenEndpoint)["token_endpoint"] == nil)
            #expect(try spoilt(.withoutKeys)["jwks_uri"] == nil)
            #expect(try spoilt(.plainHTTP)["token_endpoint"] == "http://carrier.invalid/token")
            #expect(try spoilt(.linkLocal)["token_endpoint"] == "https://169.254.169.254/token")
            #expect(try spoilt(.providerNotFound)["error"] == "provider_not_found")
            #expect(try spoilt(.errorInside200)["error"] == "server_error")
            simulation.misbehave(.document(.withoutKeys), of: .borealis)
            #expect(try document()["jwks_uri"] != nil)
        }
    }
}

@Suite struct `A key set` {
    @Test func `a key set has no private members, and at one carrier a key that verifies nothing`() async throws {
        try await withSimulation { simulation throws in
            for issuer in [SimulatedIssuer.aurora, .borealis, .plain] {
                let keys = try SimulatedSignIn(simulation, at: issuer).keys
                #expect(keys.allSatisfy { $0["d"] == nil && $0["kid"]?.string != nil })
                #expect(keys.filter { $0["use"] == "enc" }.count == (issuer == .borealis ? 1 : 0))
                #expect(keys.filter { (try? JWK($0).algorithms.contains(.rs256)) == true }.count == 1)
            }
        }
    }

    @Test func `changes when the keys do`() async throws {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: .plain)
            let before = try signIn.keys
            try simulation.rotateKeys(of: .plain)
            let after = try signIn.keys
            #expect(after.count == before.count)
            #expect(after.allSatisfy { !before.contains($0) })
        }
    }

    @Test func `a key set is spoilt on demand`() async throws {
        try await withSimulation { simulation throws in
            func keys(_ misbehaviour: KeySetMisbehaviour) throws -> [JSONValue] {
                simulation.misbehave(.keys(misbehaviour), times: 1)
                return try SimulatedSignIn(simulation, at: .aurora).keys
            }
            #expect(try keys(.empty).isEmpty)
            #expect(try keys(.withoutKeyIDs).allSatisfy { $0["kid"] == nil })
            let several = try keys(.severalWithoutKeyIDs)
            #expect(several.allSatisfy { $0["kid"] == nil })
            #expect(several.filter { $0["kty"] == "RSA" }.count == 2)
            #expect(throws: JWKError.key(.rsaModulusSize(bits: 1_024))) { try JWK(try keys(.weak)[0]) }
            #expect(try keys(.withUnknownTypes).count == 4)
        }
    }
}

@Suite struct `Userinfo` {
    @Test func `userinfo is nested at one carrier and flat at the other`() async throws {
        try await withSimulation { simulation throws in
            let aurora = SimulatedSignIn(simulation, at: .aurora)
            let nested = try aurora.userinfo(try aurora.tokens().accessToken).object
            #expect(nested["name"]?["value"]?.string == "Ada Lovelace")
            #expect(nested["phone"]?["value"]?.string == "+13105550101")
            let borealis = SimulatedSignIn(simulation, at: .borealis)
            let flat = try borealis.userinfo(try borealis.tokens().accessToken).object
            #expect(flat["name"]?.string == "Ada Lovelace")
            #expect(flat["phone_number"]?.string == "+13105550101")
            #expect(flat["postal_code"]?.string == "90210")
        }
    }

    @Test func `says by a number how well it knows each attribute at one carrier, nested or flat`() async throws {
        try await withSimulation { simulation throws in
            let aurora = SimulatedSignIn(simulation, at: .aurora)
            let nested = try aurora.userinfo(try aurora.tokens().accessToken).object
            #expect(nested["phone"]?["verified"] == 3 && nested["email"]?["verified"] == 1)
            let flat = try aurora.userinfo(
                try aurora.tokens(["misbehave": "userinfo_flat_levels_valid"]).accessToken
            ).object
            #expect(flat["phone_number_verified"] == 3 && flat["email_verified"] == 1)
            #expect(flat["phone_number"]?.string == "+13105550101" && flat["birthdate_verified"] == nil)
            let borealis = SimulatedSignIn(simulation, at: .borealis)
            #expect(try borealis.userinfo(try borealis.tokens().accessToken).object["email_verified"] == "true")
        }
    }

    @Test func `says no more than the scopes allow`() async throws {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: .plain)
            let little = try signIn.userinfo(try signIn.tokens(["scope": "openid email"]).accessToken).object
            #expect(little.members.map(\.name) == ["sub", "email", "email_verified"])
            let much = try signIn.userinfo(try signIn.tokens().accessToken).object
            #expect(much["address"]?["postal_code"]?.string == "90210")
        }
    }

    @Test func `knows anybody by a lower-case name, and always as the same person`() async throws {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: .borealis)
            func userinfo(_ name: String) throws -> JSONObject {
                try signIn.userinfo(try signIn.tokens(["login_hint": name]).accessToken).object
            }
            let first = try userinfo("load-test.17")
            #expect(first["email"]?.string == "load-test.17@example.com")
            #expect(try userinfo("load-test.17") == first)
            #expect(try userinfo("load-test.18")["sub"] != first["sub"])
        }
    }

    @Test func `takes POST only where the carrier does`() async throws {
        try await withSimulation { simulation throws in
            for (issuer, status) in [(SimulatedIssuer.aurora, 405), (.borealis, 200)] {
                let token = try SimulatedSignIn(simulation, at: issuer).tokens().accessToken
                let answer = try LoopbackClient.post(
                    simulation.url(of: issuer) + "/userinfo", headers: [("Authorization", "Bearer \(token)")])
                #expect(answer.status == status)
            }
        }
    }

    @Test func `wants an access token of its own in the header`() async throws {
        try await withSimulation { simulation throws in
            let token = try SimulatedSignIn(simulation, at: .borealis).tokens().accessToken
            let inQuery = try LoopbackClient.get("\(simulation.borealis)/userinfo?access_token=\(token)")
            #expect(inQuery.status == 401)
            let elsewhere = try LoopbackClient.get(
                "\(simulation.plain)/userinfo", headers: [("Authorization", "Bearer \(token)")])
            #expect(elsewhere.status == 401)
            #expect(elsewhere.header("WWW-Authenticate")?.contains("invalid_token") == true)
        }
    }

    @Test func `userinfo is spoilt on demand`() async throws {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: .borealis)
            func userinfo(_ misbehaviour: UserinfoMisbehaviour) throws -> HTTPTestAnswer {
                try signIn.userinfo(try signIn.tokens(["misbehave": misbehaviour.rawValue]).accessToken)
            }
            let subject = simulation.subject(of: "ada", for: signIn.clientID, at: .borealis)
            #expect(try userinfo(.otherSubject).object["sub"]?.string == subject + "x")
            #expect(try userinfo(.missingSubject).object["sub"] == nil)
            #expect(try JSONValue(parsing: try userinfo(.array).body).array?.count == 1)
            #expect(try userinfo(.html).header("Content-Type")?.hasPrefix("text/html") == true)
            #expect(try userinfo(.empty).body.isEmpty)
            #expect(try userinfo(.unauthorized).status == 401)
            let signed = try userinfo(.signed)
            #expect(signed.header("Content-Type") == "application/jwt")
            let token = try TestToken(signed.text)
            let key = try #require(try signIn.key(try token.header["kid"]?.string))
            #expect(token.isSigned(by: key, .rs256))
            #expect(try token.claims["sub"]?.string == subject)
            #expect(!(try TestToken(try userinfo(.signedBadly).text)).isSigned(by: key, .rs256))
        }
    }
}
