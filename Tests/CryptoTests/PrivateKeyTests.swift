import COpenSSL
import Crypto
import Testing

@Suite struct `Private keys` {
    static let kinds: [PrivateKey.Kind] =
        [.rsa(bits: 2048), .ed25519] + EllipticCurve.allCases.map(PrivateKey.Kind.ellipticCurve)

    @Test(arguments: kinds) func `private keys come back from PEM as the same key`(_ kind: PrivateKey.Kind) throws {
        let key = try PrivateKey.generate(kind)
        let pem = try key.pemRepresentation()
        #expect(pem.revealedText.hasPrefix("-----BEGIN PRIVATE KEY-----\n"), "PKCS #8, not an older form")
        let again = try PrivateKey(pem: pem)
        #expect(again.publicKey.parameters == key.publicKey.parameters)
        #expect(try again.derRepresentation() == key.derRepresentation())
        let algorithm = try #require(SignatureAlgorithm.allCases.first { $0.fits(key.publicKey.keyType) })
        let signature = try again.sign([1, 2, 3], with: algorithm)
        #expect(key.publicKey.verifies(signature: signature, of: [1, 2, 3], with: algorithm))
    }

    @Test func `export DER that begins a PKCS 8 structure`() throws {
        let der = try PrivateKey(pem: Secret(PEMExamples.ed25519FromRFC8037)).derRepresentation().revealedBytes
        #expect(der.starts(with: bytes(hexadecimal: "302e020100300506032b657004220420")))
    }

    @Test func `private keys are read in their older forms, too`() throws {
        let older = try PrivateKey(pem: Secret(PEMExamples.ecInItsOlderForm))
        let current = try PrivateKey(pem: Secret(PEMExamples.ecAsPKCS8))
        #expect(older.publicKey.parameters == current.publicKey.parameters)
    }

    @Test func `private keys are refused when they are no key, encrypted, or do not belong together`() {
        let unreadable = [
            "", "hello", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", PEMExamples.ecEncrypted,
            PEMExamples.ecWithForeignPublicPart,
            PEMExamples.ecAsPKCS8.replacing("PRIVATE KEY", with: "PUBLIC KEY"),
        ]
        for text in unreadable {
            #expect(throws: CryptoError.unreadableKey) { try PrivateKey(pem: Secret(text)) }
            #expect(ERR_peek_error() == 0, "an error must not be left for the thread's next user of OpenSSL")
        }
    }

    @Test func `private keys are refused when their type or strength is none of ours`() {
        #expect(throws: CryptoError.unsupportedKeyType) { try PrivateKey(pem: Secret(PEMExamples.secp256k1)) }
        #expect(throws: CryptoError.unsupportedKeyType) { try PrivateKey(pem: Secret(PEMExamples.x25519)) }
        #expect(throws: CryptoError.rsaModulusSize(bits: 1024)) { try PrivateKey(pem: Secret(PEMExamples.rsa1024)) }
        #expect(throws: CryptoError.rsaModulusSize(bits: 1024)) { try PrivateKey.generate(.rsa(bits: 1024)) }
    }

    @Test func `print nothing of themselves`() throws {
        let key = try PrivateKey(pem: Secret(PEMExamples.ed25519FromRFC8037))
        var dumped = ""
        dump(key, to: &dumped)
        #expect(!dumped.contains("9d61b1"))
        #expect(!"\(key)\(String(reflecting: key))".contains("157, 97, 177"))
        #expect("\(try key.pemRepresentation())" == "<redacted>")
    }

    @Test func `private keys are different every time one is generated`() throws {
        let first = try PrivateKey.generate(.ellipticCurve(.p256))
        let second = try PrivateKey.generate(.ellipticCurve(.p256))
        #expect(first.publicKey.parameters != second.publicKey.parameters)
    }
}
