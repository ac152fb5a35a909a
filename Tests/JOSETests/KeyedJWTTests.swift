import Crypto
import JOSE
import JSON
import Syntax
import Testing

@Suite struct `A token under a keyed hash` {
    private static let key = [UInt8](0..<32)
    private static let claims = Array(#"{"sub":"7"}"#.utf8)
    private static let header = #"{"typ":"rt+jwt","alg":"HS256","kid":"3"}"#

    private static func signed(_ claims: [UInt8] = claims, type: String = "rt+jwt", keyID: String = "3") -> String {
        KeyedJWT.sign(claims.span, type: type, keyID: keyID, key: key)
    }

    private static func token(header: String, tag: ([UInt8]) -> [UInt8] = { HMAC.sha256($0, key: key) }) -> String {
        let input = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(claims)
        return input + "." + Base64URL.encode(tag(Array(input.utf8)))
    }

    private static func read(_ token: String, key: [UInt8] = key, maximum: Int = 4096) throws(JOSEError) -> [UInt8] {
        try KeyedJWT(parsing: token, type: "rt+jwt", maximumByteCount: maximum).payload(verifiedUnder: key)
    }

    @Test func `comes back as it was signed`() throws {
        #expect(try Self.read(Self.signed()) == Self.claims)
        #expect(try KeyedJWT(parsing: Self.signed(), type: "rt+jwt", maximumByteCount: 4096).keyID == "3")
        #expect(try Self.read(Self.signed([])) == [])
        #expect(Self.signed() == Self.token(header: Self.header))
        let quoted = Self.signed(keyID: #"a"b"#)
        #expect(try KeyedJWT(parsing: quoted, type: "rt+jwt", maximumByteCount: 4096).keyID == #"a"b"#)
    }

    // RFC 7515 §A.1 has another header; what is under test here is the hash over both parts.
    @Test func `names its own type and key, whatever was signed before`() throws {
        let payload = Array("{}".utf8)
        for _ in 0..<2 {
            for (type, keyID) in [("rt+jwt", "1"), ("rt+jwt", "2"), ("other+jwt", "2"), ("rt+jwt", "1")] {
                let token = KeyedJWT.sign(payload.span, type: type, keyID: keyID, key: Self.key)
                let read = try KeyedJWT(parsing: token, type: type, maximumByteCount: 512)
                #expect(read.keyID == keyID)
                #expect(try read.payload(verifiedUnder: Self.key) == payload)
            }
        }
    }

    @Test func `a token under a keyed hash is what RFC 7518 says of HS256`() throws {
        let parts = Self.signed().split(separator: ".")
        let expected = HMAC.sha256(Array("\(parts[0]).\(parts[1])".utf8), key: Self.key)
        #expect(Base64URL.decode(String(parts[2])) == expected)
    }

    @Test(arguments: [
        (#"{"typ":"rt+jwt","alg":"none","kid":"3"}"#, JOSEError.algorithm),
        (#"{"typ":"rt+jwt","alg":"None","kid":"3"}"#, .algorithm),
        (#"{"typ":"rt+jwt","alg":"hs256","kid":"3"}"#, .algorithm),
        (#"{"typ":"rt+jwt","alg":"HS512","kid":"3"}"#, .algorithm),
        (#"{"typ":"rt+jwt","alg":"RS256","kid":"3"}"#, .algorithm),
        (#"{"typ":"rt+jwt","alg":["HS256"],"kid":"3"}"#, .algorithm),
        (#"{"typ":"rt+jwt","kid":"3"}"#, .algorithm),
        (#"{"typ":"at+jwt","alg":"HS256","kid":"3"}"#, .malformed(.header)),
        (#"{"typ":"JWT","alg":"HS256","kid":"3"}"#, .malformed(.header)),
        (#"{"typ":"RT+JWT","alg":"HS256","kid":"3"}"#, .malformed(.header)),
        (#"{"typ":"application/rt+jwt","alg":"HS256","kid":"3"}"#, .malformed(.header)),
        (#"{"alg":"HS256","kid":"3"}"#, .malformed(.header)),
        (#"{"typ":"rt+jwt","alg":"HS256"}"#, .malformed(.header)),
        (#"{"typ":"rt+jwt","alg":"HS256","kid":3}"#, .malformed(.header)),
        (#"{"typ":"rt+jwt","alg":"HS256","kid":"3","crit":["exp"]}"#, .malformed(.header)),
        (#"{"typ":"rt+jwt","alg":"HS256","kid":"3","b64":false}"#, .malformed(.header)),
        (#"{"typ":"rt+jwt","alg":"HS256","kid":"3","jwk":{"kty":"oct","k":"AA"}}"#, .malformed(.header)),
        (#"{"alg":"HS256","typ":"rt+jwt","kid":"3"}"#, .malformed(.header)),
        (#"{"typ":"rt+jwt","alg":"HS256","alg":"HS256","kid":"3"}"#, .malformed(.header)),
        (#"{"typ": "rt+jwt","alg":"HS256","kid":"3"}"#, .malformed(.header)),
        (#"{"typ":"rt+jwt","alg":"HS256","kid":"3"} "#, .malformed(.header)),
        ("[]", .malformed(.header)), ("", .malformed(.header)), ("null", .malformed(.header)),
    ])
    func `a token under a keyed hash is refused under every header but ours, though the hash is right`(
        header: String, error: JOSEError
    ) {
        #expect(throws: error) { try Self.read(Self.token(header: header)) }
    }

    @Test func `a token under a keyed hash is refused under another key, and without a hash`() {
        #expect(throws: JOSEError.signature) { try Self.read(Self.signed(), key: [UInt8](1...32)) }
        for tag in [[], [0], [UInt8](repeating: 0, count: 32)] as [[UInt8]] {
            #expect(throws: JOSEError.signature) { try Self.read(Self.token(header: Self.header, tag: { _ in tag })) }
        }
        #expect(throws: JOSEError.signature) {
            try Self.read(Self.token(header: Self.header, tag: { HMAC.sha256($0, key: Self.key).dropLast() }))
        }
        #expect(throws: JOSEError.signature) {
            try Self.read(Self.token(header: Self.header, tag: { HMAC.sha256($0, key: Self.key) + [0] }))
        }
    }

    @Test func `a token under a keyed hash is another token when any character changes`() {
        let token = Array(Self.signed().utf8)
        for index in token.indices {
            for character in [token[index] ^ 1, UInt8(ascii: "="), UInt8(ascii: ".")] where character != token[index] {
                var changed = token
                changed[index] = character
                #expect(throws: JOSEError.self) { try Self.read(String(decoding: changed, as: UTF8.self)) }
            }
        }
        for text in [Self.signed() + "=", Self.signed() + ".", " " + Self.signed(), "", ".", "..", "...", "a.b"] {
            #expect(throws: JOSEError.self) { try Self.read(text) }
        }
    }

    @Test func `a token under a keyed hash is no longer than it may be`() throws {
        let count = Self.signed().utf8.count
        #expect(try Self.read(Self.signed(), maximum: count) == Self.claims)
        #expect(throws: JOSEError.malformed(.tooLong)) { try Self.read(Self.signed(), maximum: count - 1) }
    }

    @Test func `a token under a keyed hash is nothing to who verifies signatures`() throws {
        #expect(throws: JOSEError.algorithm) { try CompactJWS(parsing: Self.signed(), maximumByteCount: 4096) }
    }
}
