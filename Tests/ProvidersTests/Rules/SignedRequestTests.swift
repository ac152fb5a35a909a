import Crypto
import JSON
import Providers
import Syntax
import TestSupport
import Testing

private let week: Int64 = 7 * 86_400

@Suite struct `A signed request of Facebook's` {
    private func taken(
        _ text: String, secret: String = "client-secret"
    ) -> Result<ProviderEvents, EventTokenError> {
        Result { () throws(EventTokenError) in
            try SignedRequest.verify(
                text, as: .deauthorized, secret: Secret(secret), now: now, maximumAgeSeconds: week,
                clockSkewSeconds: clockSkew)
        }
    }

    private func failure(_ name: String, _ value: JSONValue?) -> EventTokenError? {
        taken(SigningProvider.signedRequest { $0[setting: name] = value }).failure
    }

    @Test func `tells whose app was removed, and when`() throws {
        let told = try taken(SigningProvider.signedRequest()).get()
        #expect(told.events == [ProviderEvent(kind: .deauthorized, subject: "310260-subject", time: now - 5)])
        let number = try taken(SigningProvider.signedRequest { $0[setting: "user_id"] = 218_471 }).get()
        #expect(number.events.first?.subject == "218471")
    }

    @Test func `under another secret, or changed, is refused`() throws {
        #expect(taken(SigningProvider.signedRequest(secret: "other")).failure == .signature)
        let parts = SigningProvider.signedRequest().split(separator: ".")
        let other = SigningProvider.signedRequest { $0[setting: "user_id"] = "other" }.split(separator: ".")
        #expect(taken("\(parts[0]).\(other[1])").failure == .signature)
        #expect(taken(".\(parts[1])").failure == .signature)
        #expect(taken("\(parts[0].dropLast(2)).\(parts[1])").failure == .signature)
        #expect(taken("\(parts[0])=.\(parts[1])").failure == .signature)
    }

    @Test func `that is none is refused`() {
        let parts = SigningProvider.signedRequest().split(separator: ".")
        for text in ["", "x", "a.b.c", "\(parts[0])", "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1])="] {
            #expect(taken(text).failure == .malformed, "\(text)")
        }
        #expect(taken(String(repeating: "x", count: SignedRequest.maximumBytes + 1)).failure == .malformed)
    }

    @Test func `must name the one algorithm there is`() {
        for algorithm in [nil, .null, "none", "HS256", "HMAC-SHA1", 7] as [JSONValue?] {
            #expect(failure("algorithm", algorithm) == .algorithm)
        }
        #expect(failure("algorithm", "hmac-sha256") == nil)
    }

    @Test func `that a browser has as a cookie is refused, though it is signed alike`() {
        #expect(failure("code", "x") == .event)
    }

    @Test func `is neither too old nor of the future, and of somebody`() {
        #expect(failure("issued_at", .integer(now - week - clockSkew)) == nil)
        for time in [.integer(now - week - clockSkew - 1), .integer(now + clockSkew + 1), nil, "soon"] as [JSONValue?] {
            #expect(failure("issued_at", time) == .issuedAt)
        }
        for user in [nil, .null, "", [], "1\u{0}", .string(String(repeating: "u", count: 65))] as [JSONValue?] {
            #expect(failure("user_id", user) == .subject)
        }
    }
}
