import Crypto
import FoundationEssentials
import JOSE
import JSON
import Syntax
import Testing

/// Where project Wycheproof's `testvectors` lie; the vectors are not part of this repository.
private let directory = ProcessInfo.processInfo.environment["DEV_WYCHEPROOF"]

/// Google's collection of signatures that broken libraries take or refuse wrongly: every vector of every group.
// Skipped, and reported as skipped, where DEV_WYCHEPROOF does not name the directory.
@Suite(.enabled(if: directory != nil, "DEV_WYCHEPROOF names no directory of vectors"))
struct `Wycheproof's vectors` {
    private func groups(_ file: String) throws -> [JSONValue] {
        let path = try #require(directory) + "/" + file
        return try #require(JSONValue(parsing: Array(Data(contentsOf: URL(filePath: path))))["testGroups"]?.array)
    }

    private func bytes(_ value: JSONValue?) throws -> [UInt8] {
        let digits = try #require(value?.string).compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// A big number of a vector in a fixed width.
    private func bytes(_ value: JSONValue?, count: Int) throws -> [UInt8] {
        let number = try bytes(value).drop { $0 == 0 }
        return [UInt8](repeating: 0, count: count - number.count) + number
    }

    /// Checks each vector of a file against a key made of its group, and prints the counts.
    private func check(
        _ file: String, _ algorithm: SignatureAlgorithm, count: Int, key: (JSONValue) throws -> PublicKey
    ) throws {
        var tally: [String: Int] = [:]
        for group in try groups(file) {
            let key = try key(try #require(group["publicKey"]))
            for vector in try #require(group["tests"]?.array) {
                let result = try #require(vector["result"]?.string)
                tally[result, default: 0] += 1
                let isTaken = key.verifies(
                    signature: try bytes(vector["sig"]), of: try bytes(vector["msg"]), with: algorithm)
                // "acceptable" marks what old libraries let pass, such as a DigestInfo without its NULL. RFC 8017
                // §8.2.2 compares with the one right encoding, so to us it is invalid.
                #expect(isTaken == (result == "valid"), "vector \(vector["tcId"]?.integer ?? 0)")
            }
        }
        #expect(tally.values.reduce(0, +) == count)
        print(
            "Wycheproof \(file):",
            tally.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))
    }

    @Test func `wycheproof's vectors of ECDSA with P-256 come out as the file says`() throws {
        try check("ecdsa_secp256r1_sha256_p1363_test.json", .es256, count: 262) { key in
            try PublicKey(curve: .p256, x: bytes(key["wx"], count: 32), y: bytes(key["wy"], count: 32))
        }
    }

    @Test func `wycheproof's vectors of RSA PKCS 1 with 2048 bits come out as the file says`() throws {
        try check("rsa_signature_2048_sha256_test.json", .rs256, count: 259) { key in
            try PublicKey(rsaModulus: bytes(key["modulus"]), exponent: bytes(key["publicExponent"]))
        }
    }

    /// Why we refuse a token that the file calls valid.
    private enum Restriction: String { case keyedHash, keyForAnotherAlgorithm }

    private func restriction(_ token: String, _ key: JSONValue) throws -> Restriction? {
        if key["kty"]?.string == "oct" { return .keyedHash }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        let header = try JSONValue(parsing: #require(Base64URL.decode(String(parts[0]))))
        return key["alg"] != header["alg"] ? .keyForAnotherAlgorithm : nil
    }

    @Test func `wycheproof's vectors of JSON Web Signatures come out as the file says, but for what we never take`()
        throws
    {
        var tally: [String: Int] = [:]
        for group in try groups("json_web_signature_test.json") {
            // Groups of keyed hashes have no public key: their secret goes where a key set would wrongly publish it.
            let key = try #require(group["public"] ?? group["private"])
            let keys = try JWKSet(["keys": [key]], maximumKeyCount: 1)
            for vector in try #require(group["tests"]?.array) {
                let token = try #require(vector["jws"]?.string)
                let number = try #require(vector["tcId"]?.integer)
                let outcome = outcome(token, keys)
                guard vector["result"]?.string == "valid" else {
                    tally["invalid, refused", default: 0] += 1
                    #expect(outcome.error != nil, "vector \(number)")
                    continue
                }
                let restriction = try restriction(token, key)
                tally["valid, " + (restriction.map { "refused: \($0)" } ?? "taken"), default: 0] += 1
                switch restriction {
                case nil: #expect(outcome.error == nil, "vector \(number)")
                case .keyedHash:
                    // One of them has a foreign character in its header, which the file lets a decoder pass over.
                    let isHeaderSound = !token.prefix { $0 != "." }.contains("?")
                    #expect(outcome.error == (isHeaderSound ? .algorithm : .malformed(.header)), "vector \(number)")
                case .keyForAnotherAlgorithm:
                    // RFC 7520's figures name PS256 for a PS384 key, and ES521, which does not exist.
                    #expect(outcome.error == .unknownKey(.keyDoesNotFit), "vector \(number)")
                    try expectSound(token, key, number)
                }
            }
        }
        #expect(tally.values.reduce(0, +) == 401)
        print("Wycheproof json_web_signature_test.json:")
        for (name, count) in tally.sorted(by: { $0.key < $1.key }) { print("   ", count, name) }
    }

    /// The signature itself is right: we refuse the token for the stated reason and no other.
    private func expectSound(_ token: String, _ key: JSONValue, _ number: Int64) throws {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let header = try JSONValue(parsing: #require(Base64URL.decode(parts[0])))
        let algorithm = try #require(SignatureAlgorithm(rawValue: header["alg"]?.string ?? ""))
        let signature = try #require(Base64URL.decode(parts[2]))
        let isSound = try JWK(key).publicKey.verifies(
            signature: signature, of: Array("\(parts[0]).\(parts[1])".utf8), with: algorithm)
        #expect(isSound, "vector \(number)")
    }
}
