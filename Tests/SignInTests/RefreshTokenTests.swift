import Accounts
import Crypto
import JOSE
import JSON
import Syntax
import TestSupport
import Testing

@testable import SignIn

@Suite struct `A refresh token` {
    private static let key = SecretKey(
        purpose: .refresh, number: 12, bytes: [UInt8](0..<32), createdAt: SigningProvider.now)
    private static let session = Session(
        id: SessionID(high: 0x0123_4567_89AB_CDEF, low: 7), user: UserID(rawValue: 4711),
        userReference: "cmVmZXJlbmNl",
        family: SessionID(high: 1, low: 1),
        generation: 3, rotatedAt: 1_790_000_000, expiresAt: 1_792_592_000, createdAt: 1_780_000_000, userAgent: nil,
        authentication: Authentication(acr: nil, amr: [], time: nil), authenticatedAt: 0, challengedAt: nil,
        provider: "zenkey", client: "app", identity: nil, scope: nil, audience: nil, source: .signIn, declined: nil,
        isMergeOffered: false)

    private static func read(_ text: String) -> RefreshToken? {
        RefreshToken(text) { $0 == key.number ? key : nil }
    }

    private static func signed(_ claims: String, keyID: String = "12") -> String {
        KeyedJWT.sign(Array(claims.utf8).span, type: "rt+jwt", keyID: keyID, key: key.bytes)
    }

    @Test func `says whose it is, which session's and which generation, from when until when, and nothing else`() throws
    {
        let text = RefreshToken(of: Self.session, as: .number).text(signedWith: Self.key)
        let parts = try text.split(separator: ".").prefix(2).map { try #require(Base64URL.decode(String($0))) }
        #expect(String(decoding: parts[0], as: UTF8.self) == #"{"typ":"rt+jwt","alg":"HS256","kid":"12"}"#)
        let claims = """
            {"sub":"4711","sid":"0123456789abcdef0000000000000007","gen":3,"iat":1790000000,"exp":1792592000}
            """
        #expect(String(decoding: parts[1], as: UTF8.self) == claims)
        #expect(Self.read(text) == RefreshToken(of: Self.session, as: .number))
        #expect(RefreshToken(of: Self.session, as: .number).text(signedWith: Self.key) == text)
    }

    @Test func `a refresh token has the user's reference as its subject where apps see that, and the number beside it`()
        throws
    {
        let text = RefreshToken(of: Self.session, as: .reference).text(signedWith: Self.key)
        let payload = try #require(Base64URL.decode(String(text.split(separator: ".")[1])))
        let claims = """
            {"sub":"cmVmZXJlbmNl","uid":"4711","sid":"0123456789abcdef0000000000000007","gen":3,"iat":1790000000,\
            "exp":1792592000}
            """
        #expect(String(decoding: payload, as: UTF8.self) == claims)
        #expect(Self.read(text) == RefreshToken(of: Self.session, as: .reference))
        // A number that is none, beside a reference, is nobody's.
        #expect(Self.read(Self.signed(claims.replacing(#""uid":"4711","#, with: ""))) == nil)
        #expect(Self.read(Self.signed(claims.replacing("4711", with: "4711x"))) == nil)
    }

    @Test func `begins with the session where it was not refreshed yet`() {
        var session = Self.session
        (session.generation, session.rotatedAt) = (1, nil)
        #expect(RefreshToken(of: session, as: .number).issuedAt == 1_780_000_000)
    }

    @Test func `a refresh token is none without one of its claims, or with one that is no such value`() {
        let good = [
            ("sub", #""7""#), ("sid", #""0123456789abcdef0000000000000007""#), ("gen", "1"), ("iat", "1"), ("exp", "2"),
        ]
        func text(_ claims: [(String, String)]) -> String {
            Self.signed("{" + claims.map { #""\#($0.0)":\#($0.1)"# }.joined(separator: ",") + "}")
        }
        #expect(Self.read(text(good)) != nil)
        let bad = [
            ("sub", "7"), ("sub", #""seven""#), ("sub", #""""#), ("sid", #""guess""#), ("sid", "7"), ("gen", "0"),
            ("gen", "-1"), ("gen", #""1""#), ("gen", "1.5"), ("gen", "99999999999999999999"), ("iat", "null"),
            ("exp", #""2""#), ("exp", "true"),
        ]
        for (name, value) in bad {
            #expect(Self.read(text(good.map { $0.0 == name ? (name, value) : $0 })) == nil, "\(name) \(value)")
        }
        for (name, _) in good { #expect(Self.read(text(good.filter { $0.0 != name })) == nil, "no \(name)") }
        for claims in ["", "[]", "null", "{", "7"] { #expect(Self.read(Self.signed(claims)) == nil) }
    }

    @Test(arguments: ["012", "+12", " 12", "12 ", "-12", "0xC", "1e1", "", "13", "a", "99999999999999999999"])
    func `a refresh token is none under a key's name that is none, or not written as we write it`(keyID: String) {
        let claims = #"{"sub":"7","sid":"0123456789abcdef0000000000000007","gen":1,"iat":1,"exp":2}"#
        #expect(Self.read(Self.signed(claims)) != nil)
        #expect(Self.read(Self.signed(claims, keyID: keyID)) == nil)
    }

    @Test func `a refresh token has room for its longest values, and no more`() {
        var session = Self.session
        (session.user, session.generation) = (UserID(rawValue: .max), .max)
        (session.rotatedAt, session.expiresAt) = (.max, .max)
        let key = SecretKey(purpose: .refresh, number: .max, bytes: Self.key.bytes, createdAt: 0)
        let text = RefreshToken(of: session, as: .number).text(signedWith: key)
        #expect(RefreshToken(text) { _ in key } == RefreshToken(of: session, as: .number))
        #expect(text.utf8.count < 400)
        let padded =
            #"{"sub":"7","sid":"0123456789abcdef0000000000000007","gen":1,"iat":1,"exp":2,"x":"\#("x".repeated(300))"}"#
        #expect(Self.read(Self.signed(padded)) == nil)
    }

    @Test func `a refresh token is signed by the newest key that every instance knows, as of when it was issued`() {
        func key(_ number: Int64, _ createdAt: Int64) -> SecretKey {
            SecretKey(purpose: .refresh, number: number, bytes: [], createdAt: createdAt)
        }
        let keys = [key(3, 3000), key(2, 2000), key(1, 1000)]
        for (time, number) in [(0, 1), (1000, 1), (2059, 1), (2060, 2), (3059, 2), (3060, 3), (9000, 3)]
            as [(Int64, Int64)]
        {
            #expect(RefreshTokens.signing(at: time, among: keys)?.number == number)
        }
        #expect(RefreshTokens.signing(at: 5, among: []) == nil)
    }
}

extension String {
    fileprivate func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}
