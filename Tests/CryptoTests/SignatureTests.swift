import COpenSSL
import Crypto
import Testing

@Suite struct `Signatures` {
    private let message = Array("eyJhbGciOiJSUzI1NiJ9.e30".utf8)

    /// Made once: a pair of RSA keys takes longer than all the rest of a test.
    private static let rsaKeys = (0..<2).map { _ in Result { try PrivateKey.generate(.rsa(bits: 2048)) } }

    private func privateKey(for algorithm: SignatureAlgorithm, number: Int = 0) throws -> PrivateKey {
        switch algorithm {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: try Self.rsaKeys[number].get()
        case .es256: try PrivateKey.generate(.ellipticCurve(.p256))
        case .es384: try PrivateKey.generate(.ellipticCurve(.p384))
        case .es512: try PrivateKey.generate(.ellipticCurve(.p521))
        case .edDSA: try PrivateKey.generate(.ed25519)
        }
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `verify with the key and message they were made for, and with no other`(
        _ algorithm: SignatureAlgorithm
    ) throws {
        let key = try privateKey(for: algorithm)
        let other = try privateKey(for: algorithm, number: 1).publicKey
        for message in [message, [], Random.bytes(10_000)] {
            // Twice, because the second time runs on a context that was used before.
            for _ in 0..<2 {
                let signature = try key.sign(message, with: algorithm)
                #expect(key.publicKey.verifies(signature: signature, of: message, with: algorithm))
                #expect(!key.publicKey.verifies(signature: signature, of: message + [0], with: algorithm))
                #expect(!other.verifies(signature: signature, of: message, with: algorithm))
            }
        }
        #expect(ERR_peek_error() == 0, "an error must not be left for the thread's next user of OpenSSL")
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `signatures do not verify with a bit changed`(_ algorithm: SignatureAlgorithm) throws {
        let key = try privateKey(for: algorithm)
        let signature = try key.sign(message, with: algorithm)
        for index in signature.indices {
            var altered = signature
            altered[index] ^= 1 << UInt8(index % 8)
            #expect(!key.publicKey.verifies(signature: altered, of: message, with: algorithm))
        }
        #expect(key.publicKey.verifies(signature: signature, of: message, with: algorithm))
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `signatures have exactly one length`(_ algorithm: SignatureAlgorithm) throws {
        let key = try privateKey(for: algorithm)
        for _ in 0..<20 {
            let signature = try key.sign(message, with: algorithm)
            let expected =
                switch key.publicKey.keyType {
                case .rsa: 256
                case .ellipticCurve(let curve): 2 * curve.byteCount
                case .ed25519: 64
                }
            #expect(signature.count == expected)
            for wrong in [[], Array(signature.dropLast()), signature + [0], [0] + signature, signature + signature] {
                #expect(!key.publicKey.verifies(signature: wrong, of: message, with: algorithm))
            }
        }
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `signatures are neither made nor verified with an algorithm that is not the key's`(
        _ algorithm: SignatureAlgorithm
    ) throws {
        let key = try privateKey(for: algorithm)
        let signature = try key.sign(message, with: algorithm)
        for other in SignatureAlgorithm.allCases where other != algorithm {
            #expect(!key.publicKey.verifies(signature: signature, of: message, with: other))
            if !other.fits(key.publicKey.keyType) {
                #expect(throws: CryptoError.algorithmMismatch) { try key.sign(message, with: other) }
            }
        }
    }

    @Test func `signatures are right when one key serves one algorithm after the other`() throws {
        let key = try PrivateKey.generate(.rsa(bits: 2048))
        let algorithms = SignatureAlgorithm.allCases.filter { $0.fits(.rsa) }
        for _ in 0..<2 {
            for algorithm in algorithms {
                let signature = try key.sign(message, with: algorithm)
                let verifying = algorithms.filter {
                    key.publicKey.verifies(signature: signature, of: message, with: $0)
                }
                #expect(verifying == [algorithm])
            }
        }
    }

    @Test func `signatures of ECDSA are not taken in DER`() throws {
        let key = try PrivateKey.generate(.ellipticCurve(.p256))
        let signature = try key.sign(message, with: .es256)
        let r = [2, 33, 0] + signature[..<32]
        let s = [2, 33, 0] + signature[32...]
        #expect(
            !key.publicKey.verifies(signature: [0x30, UInt8(r.count + s.count)] + r + s, of: message, with: .es256))
    }

    @Test func `signatures of RSA come out as RFC 7515 prints them`() throws {
        let key = try PrivateKey(pem: Secret(PEMExamples.rsaFromRFC7515))
        let input =
            "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvb"
            + "S9pc19yb290Ijp0cnVlfQ"
        let signature = try key.sign(Array(input.utf8), with: .rs256)
        #expect(signature.starts(with: bytes(hexadecimal: "702e218943e88fd11eb5d82dbf7845f3")))
        #expect(signature.suffix(4) == bytes(hexadecimal: "19eefb47"))
    }

    @Test func `signatures are right when many threads share one key and some of them are forged`() async throws {
        for algorithm in [SignatureAlgorithm.rs256, .ps256, .es256, .edDSA] {
            let key = try privateKey(for: algorithm)
            let message = message
            let mistakes = await withTaskGroup { group in
                for task in 0..<8 {
                    group.addTask {
                        (0..<50).count { round in
                            let message = message + [UInt8(task), UInt8(round)]
                            guard var signature = try? key.sign(message, with: algorithm) else { return true }
                            let isForged = round % 3 == 0
                            if isForged { signature[round] ^= 1 }
                            return key.publicKey.verifies(signature: signature, of: message, with: algorithm)
                                == isForged
                        }
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(mistakes == 0)
        }
    }
}
