import JSON
import Providers
import TestSupport
import Testing

@Suite struct `The times of an ID token` {
    private func outcome(
        _ claim: String, _ seconds: Int64, _ freshness: IDTokenVerifier.Freshness = .anyAge
    ) throws -> IDTokenError? {
        let token = try SigningProvider().idToken { $0.claims[setting: claim] = .integer(seconds) }
        return try ProvidersTests.outcome(of: token, by: verifier(freshness: freshness)).failure
    }

    @Test func `the times of an ID token let exp lie past by less than the clock skew`() throws {
        #expect(try outcome("exp", now - clockSkew + 1) == nil)
        #expect(try outcome("exp", now - clockSkew) == .expired)
    }

    @Test func `the times of an ID token let iat lie ahead by no more than the clock skew`() throws {
        #expect(try outcome("iat", now + clockSkew) == nil)
        #expect(try outcome("iat", now + clockSkew + 1) == .issuedAt)
    }

    @Test func `the times of an ID token let nbf lie ahead by no more than the clock skew`() throws {
        #expect(try outcome("nbf", now + clockSkew) == nil)
        #expect(try outcome("nbf", now + clockSkew + 1) == .issuedAt)
    }

    @Test func `the times of an ID token let iat be as old as is asked and the clock skew`() throws {
        let limit = now - 300 - clockSkew
        #expect(try outcome("iat", limit, .within(300)) == nil)
        #expect(try outcome("iat", limit - 1, .within(300)) == .issuedAt)
        #expect(try outcome("iat", now - 7 * 86_400, .within(300)) == .issuedAt)
    }

    @Test func `the times of an ID token let auth_time be as old as is asked and the clock skew`() throws {
        let limit = now - 300 - clockSkew
        #expect(try outcome("auth_time", limit, .within(300)) == nil)
        #expect(try outcome("auth_time", limit - 1, .within(300)) == .authenticationTime)
        #expect(try outcome("auth_time", limit - 1) == nil)
    }

    @Test func `the times of an ID token let auth_time lie ahead by no more than the clock skew`() throws {
        #expect(try outcome("auth_time", now + clockSkew, .within(300)) == nil)
        #expect(try outcome("auth_time", now + clockSkew + 1, .within(300)) == .authenticationTime)
    }

    @Test func `the times of an ID token of a user who was to be asked again lie behind the request`() throws {
        let begun = now - 20
        for isRequired in [true, false] {
            let login = IDTokenVerifier.Freshness.since(begun, requiresAuthenticationTime: isRequired)
            for claim in ["auth_time", "iat"] {
                let broken: IDTokenError = claim == "iat" ? .issuedAt : .authenticationTime
                #expect(try outcome(claim, begun - clockSkew, login) == nil)
                #expect(try outcome(claim, begun - clockSkew - 1, login) == broken)
                #expect(try outcome(claim, now - 86_400, login) == broken)
                #expect(try outcome(claim, now + clockSkew + 1, login) == broken)
            }
            let token = try SigningProvider().idToken { $0.claims[setting: "auth_time"] = nil }
            #expect(
                try ProvidersTests.outcome(of: token, by: verifier(freshness: login)).failure
                    == (isRequired ? .authenticationTime : nil))
        }
    }

    @Test(arguments: [nil, JSONValue.null])
    func `the times of an ID token need auth_time where freshness is asked`(authenticationTime: JSONValue?) throws {
        let token = try SigningProvider().idToken { $0.claims[setting: "auth_time"] = authenticationTime }
        let asking = verifier(freshness: .within(300))
        #expect(try ProvidersTests.outcome(of: token, by: asking).failure == .authenticationTime)
    }

    @Test(arguments: ["exp", "iat", "nbf", "auth_time"], [Int64.max, .max - 1, .max - 60, 253_402_300_799, 0, .min])
    func `the times of an ID token never overflow, whatever they are`(claim: String, seconds: Int64) throws {
        let token = try SigningProvider().idToken { $0.claims[setting: claim] = .integer(seconds) }
        let extremes: [Int64] = [0, now, 253_402_300_799]
        for time in extremes {
            _ = try ProvidersTests.outcome(of: token, by: verifier(freshness: .within(300)), at: time)
        }
        // Out of the year 9999 is out of the question: no sum with such a number is ever made.
        if seconds == .max { #expect(try ProvidersTests.outcome(of: token).failure != nil) }
    }
}
