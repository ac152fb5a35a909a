import Crypto
import JOSE
import JSON
import Syntax
import Testing

@Suite struct `Tokens` {
    private let key: PrivateKey
    private let keys: JWKSet

    init() throws {
        key = try PrivateKey.generate(.ellipticCurve(.p256))
        keys = try keySet([key.publicKey.jwk(keyID: "k", algorithm: .es256)])
    }

    private func outcome(header: String) throws -> Result<VerifiedJWS, JOSEError> {
        JOSETests.outcome(try token(header: header, signedBy: key, with: .es256), keys)
    }

    @Test func `tokens are taken with any member nobody knows, in any order and spacing`() throws {
        for header in [
            #"{"alg":"ES256"}"#, #"{"alg":"ES256","kid":"k"}"#, " { \"kid\" : \"k\" ,\r\n\t\"alg\" : \"ES256\" } ",
            #"{"typ":"JWT","alg":"ES256","kid":"k","x":{"y":[1,null]},"cty":"JWT"}"#, #"{"\u0061lg":"ES\u003256"}"#,
        ] {
            #expect(try outcome(header: header).error == nil, "\(header)")
        }
    }

    @Test func `carry header and payload to the caller`() throws {
        let token = try token(
            header: #"{"typ":"at+JWT","alg":"ES256","kid":"k"}"#, payload: "any bytes", signedBy: key, with: .es256)
        let verified = try JOSETests.outcome(token, keys).get()
        #expect(String(decoding: verified.payload, as: UTF8.self) == "any bytes")
        #expect(verified.header.keyID == "k")
        #expect(verified.header.type == "at+JWT")
        let parsed = try CompactJWS(parsing: Array(token.utf8), maximumByteCount: token.utf8.count)
        #expect(parsed.unverifiedPayload == verified.payload)
    }

    @Test func `tokens with no signature algorithm are refused for it, signed or not`() throws {
        let spellings = ["none", "None", "NONE", "nONE", "nOnE", "noNe"]
        let keyed = ["HS256", "HS384", "HS512", "hs256"]
        let unknown = ["", " ", "ES256 ", "es256", "RS1", "ES256K", "Ed25519", "RSA1_5", "dir", "ES257", "none,ES256"]
        for name in spellings + keyed + unknown {
            let header = "{\"alg\":\"\(name)\",\"kid\":\"k\"}"
            #expect(try outcome(header: header).error == .algorithm, "\(name)")
            let unsigned = Base64URL.encode(Array(header.utf8)) + ".e30."
            #expect(JOSETests.outcome(unsigned, keys).error == .algorithm, "\(name), without a signature")
        }
    }

    @Test func `signed with a public key as a secret are refused for their algorithm`() throws {
        let input = Base64URL.encode(Array(#"{"alg":"HS256","kid":"k"}"#.utf8)) + ".e30"
        for secret in [JSONValue.object(keys.keys[0].publicKey.jwk(keyID: "k", algorithm: .es256)).serialized, []] {
            let token = input + "." + Base64URL.encode(HMAC.sha256(Array(input.utf8), key: secret))
            #expect(JOSETests.outcome(token, keys).error == .algorithm)
        }
    }

    @Test func `tokens are refused for an algorithm that is not on the caller's list`() throws {
        let token = try token(header: #"{"alg":"ES256"}"#, signedBy: key, with: .es256)
        #expect(JOSETests.outcome(token, keys, allowed: [.rs256, .es256]).error == nil)
        #expect(JOSETests.outcome(token, keys, allowed: [.rs256, .es384]).error == .algorithm)
        #expect(JOSETests.outcome(token, keys, allowed: []).error == .algorithm)
    }

    @Test func `tokens that name another algorithm than they are signed with are refused`() throws {
        let rsa = try PrivateKey.generate(.rsa(bits: 2048))
        let set = try keySet([rsa.publicKey.jwk(keyID: nil, algorithm: .rs256).without("alg")])
        #expect(
            JOSETests.outcome(try token(header: #"{"alg":"PS256"}"#, signedBy: rsa, with: .rs256), set).error
                == .signature)
        #expect(
            JOSETests.outcome(try token(header: #"{"alg":"RS512"}"#, signedBy: rsa, with: .rs256), set).error
                == .signature)
        #expect(try outcome(header: #"{"alg":"RS256"}"#).error == .unknownKey(.noKeyFits))
        #expect(try outcome(header: #"{"alg":"ES384","kid":"k"}"#).error == .unknownKey(.keyDoesNotFit))
    }

    @Test func `tokens with an extension are refused, whether it is known or not`() throws {
        for member in [
            #""crit":["exp"]"#, #""crit":[]"#, #""crit":["b64"],"b64":false"#, #""crit":null"#, #""crit":"exp""#,
            #""b64":true"#, #""b64":false"#,
        ] {
            #expect(
                try outcome(header: "{\"alg\":\"ES256\",\(member)}").error == .malformed(.extensionInUse), "\(member)")
        }
    }

    @Test func `whose header has a member of the wrong type are malformed`() throws {
        #expect(try outcome(header: "{}").error == .malformed(.headerMember("alg")))
        for value in ["1", "null", "true", "[\"ES256\"]", "{}"] {
            #expect(try outcome(header: "{\"alg\":\(value)}").error == .malformed(.headerMember("alg")))
            for name in ["kid", "typ"] {
                let header = "{\"alg\":\"ES256\",\"\(name)\":\(value)}"
                #expect(try outcome(header: header).error == .malformed(.headerMember(name)))
            }
        }
    }

    @Test func `whose header is no JSON object with each member once are malformed`() throws {
        for header in [
            "null", "[]", "\"ES256\"", "{", #"{"alg":"ES256"}{}"#, #"{"alg":"ES256",}"#, #"{alg:"ES256"}"#,
            #"{"alg":"ES256","alg":"ES256"}"#, #"{"alg":"none","alg":"ES256"}"#, #"{"alg":"ES256","\u0061lg":"none"}"#,
            #"{"alg":"ES256","kid":"k","kid":"k"}"#, #"{"alg":"ES256","x":{"y":1,"y":2}}"#,
            "\u{FEFF}{\"alg\":\"ES256\"}",
        ] {
            #expect(try outcome(header: header).error == .malformed(.header), "\(header)")
        }
    }

    @Test func `tokens with a dot more are malformed wherever it is`() throws {
        let good = Array(try token(header: #"{"alg":"ES256"}"#, signedBy: key, with: .es256).utf8)
        for place in 0...good.count {
            var bytes = good
            bytes.insert(UInt8(ascii: "."), at: place)
            #expect(throws: JOSEError.malformed(.parts)) { try CompactJWS(parsing: bytes, maximumByteCount: 4096) }
        }
    }

    @Test func `tokens that are not three parts in base64url are malformed`() throws {
        let good = try token(header: #"{"alg":"ES256"}"#, signedBy: key, with: .es256)
        let parts = good.split(separator: ".").map(String.init)
        let (header, payload, signature) = (parts[0], parts[1], parts[2])
        let table: [(String, JOSEError.Malformation)] = [
            ("", .parts), (".", .parts), ("..", .parts), ("...", .parts), (header, .parts),
            ("\(header).\(payload)", .parts),
            ("\(header).\(signature)", .parts), (".\(payload).\(signature)", .parts),
            ("\(good).", .parts), (".\(good)", .parts), ("\(good).\(signature)", .parts),
            ("\(header).\(payload).", .emptySignature),
            ("\(header).\(payload).\(signature)=", .signatureEncoding),
            ("\(header).\(payload).\(signature)\n", .signatureEncoding),
            ("\(header).\(payload). \(signature)", .signatureEncoding),
            ("\(header).\(payload)=.\(signature)", .payloadEncoding),
            ("\(header).\(payload) .\(signature)", .payloadEncoding),
            ("\(header).\(payload)AA.\(signature)", .payloadEncoding),
            ("\(header)=.\(payload).\(signature)", .header), (" \(good)", .header), ("\u{FEFF}\(good)", .header),
            ("\(header).A+/A.\(signature)", .payloadEncoding), ("\(header).\(payload).A", .signatureEncoding),
            ("{\"payload\":\"\(payload)\",\"protected\":\"\(header)\",\"signature\":\"\(signature)\"}", .parts),
        ]
        #expect(JOSETests.outcome(good, keys).error == nil)
        for (token, expected) in table {
            #expect(JOSETests.outcome(token, keys).error == .malformed(expected), "\(token)")
        }
    }

    @Test func `longer than the limit are refused before anything else`() throws {
        let token = try token(header: #"{"alg":"ES256"}"#, signedBy: key, with: .es256)
        #expect(throws: JOSEError.malformed(.tooLong)) {
            try CompactJWS(parsing: token, maximumByteCount: token.utf8.count - 1)
        }
        #expect(throws: JOSEError.malformed(.tooLong)) {
            try CompactJWS(parsing: Array(token.utf8), maximumByteCount: token.utf8.count - 1)
        }
        #expect(throws: Never.self) { try CompactJWS(parsing: token, maximumByteCount: token.utf8.count) }
    }

    @Test func `tokens never bring their own key`() throws {
        let attacker = try PrivateKey.generate(.ellipticCurve(.p256))
        let jwk = JSONValue.object(attacker.publicKey.jwk(keyID: "k", algorithm: .es256))
        let text = String(decoding: jwk.serialized, as: UTF8.self)
        for header in [
            "{\"alg\":\"ES256\",\"kid\":\"k\",\"jwk\":\(text)}", "{\"alg\":\"ES256\",\"jwk\":\(text)}",
            #"{"alg":"ES256","kid":"k","jku":"https://attacker.example/keys"}"#,
            #"{"alg":"ES256","kid":"k","x5u":"https://attacker.example/certificate","x5c":["AAAA"]}"#,
        ] {
            let forged = try token(header: header, signedBy: attacker, with: .es256)
            #expect(JOSETests.outcome(forged, keys).error == .signature)
        }
    }

    @Test func `tokens have a type that is a media type`() throws {
        func header(_ type: String) throws -> JWSHeader {
            let token = try token(header: "{\"alg\":\"ES256\"\(type)}", signedBy: key, with: .es256)
            return try CompactJWS(parsing: token, maximumByteCount: maximumByteCount).header
        }
        for type in ["at+jwt", "AT+JWT", "application/at+jwt", "Application/At+Jwt"] {
            #expect(try header(",\"typ\":\"\(type)\"").hasType("at+jwt"))
        }
        for type in ["", "JWT", "at+jwt ", "text/at+jwt", "logout+jwt", "at jwt"] {
            #expect(try !header(",\"typ\":\"\(type)\"").hasType("at+jwt"))
        }
        #expect(try !header("").hasType("at+jwt"))
        #expect(try !header("").hasType(""))
    }
}
