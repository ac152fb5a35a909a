import Crypto
import JSON
import SimulatedCarriers
import Testing

@Suite struct `A ported subscriber` {
    @Test func `a ported subscriber is unknown to the old carrier and brings a port token to the new one`() async throws
    {
        try await withSimulation { simulation throws in
            let (old, new) = (SimulatedSignIn(simulation, at: .aurora), SimulatedSignIn(simulation, at: .borealis))
            let before = try old.tokens().idToken.claims
            #expect(before["aka"] == nil)
            simulation.port(subscriber: "ada", to: .borealis)
            #expect(try old.authorizationAnswer()["error"] == "user_not_found")
            let claims = try new.tokens().idToken.claims
            let token = try TestToken(try #require(claims["aka"]?.array?.first?.string))
            #expect(try token.header["typ"]?.string == "port_token+jwt")
            let port = try token.claims
            #expect(port["iss"]?.string == simulation.aurora)
            #expect(port["sub"] == before["sub"])
            #expect(port["aud"]?.string == old.clientID)
            #expect(port["iat"]?.integer != nil)
            #expect(port["exp"] == nil)
            #expect(token.isSigned(by: try old.key(try token.header["kid"]?.string), .rs256))
        }
    }

    @Test func `a ported subscriber can come back`() async throws {
        try await withSimulation { simulation throws in
            simulation.port(subscriber: "ada", to: .borealis)
            simulation.port(subscriber: "ada", to: .aurora)
            #expect(try SimulatedSignIn(simulation, at: .borealis).authorizationAnswer()["error"] == "user_not_found")
            let claims = try SimulatedSignIn(simulation, at: .aurora).tokens().idToken.claims
            let token = try TestToken(try #require(claims["aka"]?.array?.first?.string))
            #expect(try token.claims["iss"]?.string == simulation.borealis)
        }
    }

    @Test func `stays where others are`() async throws {
        try await withSimulation { simulation throws in
            simulation.port(subscriber: "ada", to: .borealis)
            #expect(try SimulatedSignIn(simulation, at: .aurora).code(["login_hint": "grace"]).isEmpty == false)
            #expect(try SimulatedSignIn(simulation, at: .plain).tokens().idToken.claims["aka"] == nil)
        }
    }

    @Test func `brings the token in every shape`() async throws {
        try await withSimulation { simulation throws in
            simulation.port(subscriber: "ada", to: .borealis)
            func claim(_ shape: PortTokenShape) throws -> JSONValue? {
                try SimulatedSignIn(simulation, at: .borealis).tokens(["misbehave": shape.rawValue])
                    .idToken.claims["aka"]
            }
            #expect(try claim(.array)?.array?.count == 1)
            #expect(try claim(.single)?.string != nil)
            #expect(try claim(.object)?["port_token"]?.string != nil)
            #expect(try claim(.objectWithArray)?["port_token"]?.array?.count == 1)
        }
    }
}

@Suite struct `A spoilt port token` {
    /// The port token of a sign-in at Borealis in which that is the matter; the subscriber never ported.
    private func text(_ simulation: Simulation, _ misbehaviour: PortTokenMisbehaviour) throws -> String {
        let claims = try SimulatedSignIn(simulation, at: .borealis).tokens(["misbehave": misbehaviour.rawValue])
            .idToken.claims
        return try #require(claims["aka"]?.array?.first?.string)
    }

    @Test func `comes from issuers that may not vouch`() async throws {
        try await withSimulation { simulation throws in
            func token(_ misbehaviour: PortTokenMisbehaviour) throws -> TestToken {
                try TestToken(try text(simulation, misbehaviour))
            }
            func key(_ token: TestToken, at issuer: SimulatedIssuer) throws -> PublicKey? {
                try SimulatedSignIn(simulation, at: issuer).key(try token.header["kid"]?.string)
            }
            let right = try token(.valid)
            #expect(right.isSigned(by: try key(right, at: .aurora), .rs256))
            let foreign = try token(.foreignIssuer)
            #expect(try foreign.claims["iss"]?.string == simulation.plain)
            #expect(foreign.isSigned(by: try key(foreign, at: .plain), .rs256))
            #expect(try token(.unreachableIssuer).claims["iss"]?.string == "http://carrier.invalid")
            let own = try token(.issuedByCurrentIssuer)
            #expect(try own.claims["iss"]?.string == simulation.borealis)
            #expect(own.isSigned(by: try key(own, at: .borealis), .rs256))
            let posing = try token(.signedByCurrentIssuer)
            #expect(try posing.claims["iss"]?.string == simulation.aurora)
            #expect(posing.isSigned(by: try key(posing, at: .borealis), .rs256))
        }
    }

    @Test func `a spoilt port token has wrong claims, signatures and forms`() async throws {
        try await withSimulation { simulation throws in
            func token(_ misbehaviour: PortTokenMisbehaviour) throws -> TestToken {
                try TestToken(try text(simulation, misbehaviour))
            }
            let right = try token(.valid).claims
            let date = try #require(right["iat"]?.integer)
            #expect(try token(.wrongAudience).claims["aud"] == "another-client")
            #expect(try #require(try token(.old).claims["iat"]?.integer) < date - 390 * 86_400)
            #expect(try #require(try token(.issuedInFuture).claims["iat"]?.integer) > date + 86_400)
            #expect(try token(.missingIssuedAt).claims["iat"] == nil)
            #expect(try token(.missingSubject).claims["sub"] == nil)
            let other = simulation.subject(of: "mary", for: "ccid-0123456789abcdef", at: .aurora)
            #expect(try token(.otherAccount).claims["sub"]?.string == other)
            let new = simulation.subject(of: "ada", for: "ccid-0123456789abcdef", at: .borealis)
            #expect(try token(.newSubject).claims["sub"]?.string == new)
            #expect(try token(.wrongType).header["typ"] == "JWT")
            #expect(try token(.hs256).header["alg"] == "HS256")
            #expect(try token(.algorithmNone).signature.isEmpty)
            let bad = try token(.badSignature)
            let key = try #require(try SimulatedSignIn(simulation, at: .aurora).key(try bad.header["kid"]?.string))
            #expect(!bad.isSigned(by: key, .rs256))
            #expect(try text(simulation, .garbage) == "not.a.token")
        }
    }
}
