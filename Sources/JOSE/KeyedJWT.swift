internal import Crypto
internal import JSON
import Synchronization
import Syntax

/// A token that nobody but its maker verifies: the compact serialization (RFC 7515 §7.1) under HMAC-SHA-256 (`HS256`,
/// RFC 7518 §3.2).
///
/// It has nothing in common with ``JWS``, which knows no keyed hashes: where one function takes both, a public key can
/// be passed off as the key of a hash (RFC 8725 §3.1). Of its header only the name of the key is anybody's choice; all
/// else must be what ``sign(_:type:keyID:key:)`` writes, byte for byte.
public struct KeyedJWT: Sendable {
    /// The `kid`. Nothing of the token is proven yet.
    public let keyID: String
    private let bytes: [UInt8]
    private let headerCount: Int
    private let signingInputCount: Int

    /// The token of a payload.
    ///
    /// - Parameters:
    ///   - payload: its claims as JSON text.
    ///   - type: the header's `typ`, which tells what such a token is for (RFC 8725 §3.11).
    ///   - key: as long as the hash at least, which is 32 bytes (RFC 7518 §3.2).
    public static func sign(_ payload: Span<UInt8>, type: String, keyID: String, key: [UInt8]) -> String {
        var token: [UInt8] = []
        token.reserveCapacity(
            longestUsualHeader + Base64URL.encodedCount(of: payload.count)
                + Base64URL.encodedCount(of: Digest.sha256.byteCount))
        token.append(contentsOf: encodedHeader(type: type, keyID: keyID))
        token.append(UInt8(ascii: "."))
        Base64URL.append(payload, to: &token)
        let tag = HMAC.sha256(token.span, key: key.span)
        token.append(UInt8(ascii: "."))
        Base64URL.append(tag.span, to: &token)
        return String(decoding: token, as: UTF8.self)
    }

    /// Reads a token, and verifies nothing but that its header is ours.
    ///
    /// - Parameters:
    ///   - type: the only `typ` taken.
    ///   - maximumByteCount: the longest token taken.
    /// - Throws: `JOSEError.malformed`, or `.algorithm` for every `alg` but `HS256`.
    public init(parsing token: String, type: String, maximumByteCount: Int) throws(JOSEError) {
        // Measured before it is copied.
        guard token.utf8.count <= maximumByteCount else { throw .malformed(.tooLong) }
        let bytes = Array(token.utf8)
        guard let headerEnd = bytes.firstIndex(of: UInt8(ascii: ".")),
            let payloadEnd = bytes[(headerEnd + 1)...].firstIndex(of: UInt8(ascii: ".")),
            !bytes[(payloadEnd + 1)...].contains(UInt8(ascii: "."))
        else { throw .malformed(.parts) }
        guard let header = Base64URL.decode(bytes.span.extracting(0..<headerEnd)),
            let json = try? JSONValue(parsing: header.span), let keyID = json["kid"]?.string
        else { throw .malformed(.header) }
        guard json["alg"] == "HS256" else { throw .algorithm }
        // Bytes have one encoding only, so what decodes to our header is our header.
        guard header == Self.header(type: type, keyID: keyID) else { throw .malformed(.header) }
        (self.keyID, self.bytes) = (keyID, bytes)
        headerCount = headerEnd
        signingInputCount = payloadEnd
    }

    /// The payload, once the token is proven to be made with that key.
    ///
    /// - Throws: `JOSEError.signature`, or `.malformed` for what no maker of ours has encoded.
    public func payload(verifiedUnder key: [UInt8]) throws(JOSEError) -> [UInt8] {
        guard let tag = Base64URL.decode(bytes.span.extracting((signingInputCount + 1)..<bytes.count)) else {
            throw .malformed(.signatureEncoding)
        }
        let expected = HMAC.sha256(bytes.span.extracting(0..<signingInputCount), key: key.span)
        guard constantTimeEqual(tag, expected) else { throw .signature }
        guard let payload = Base64URL.decode(bytes.span.extracting((headerCount + 1)..<signingInputCount)) else {
            throw .malformed(.payloadEncoding)
        }
        return payload
    }

    private static let longestUsualHeader = 96
    /// The header of the last token, which that of the next one is too, until the key changes.
    private static let latest = Mutex<(type: String, keyID: String, header: [UInt8])?>(nil)

    private static func encodedHeader(type: String, keyID: String) -> [UInt8] {
        latest.withLock { latest in
            if let latest, latest.keyID == keyID, latest.type == type { return latest.header }
            var encoded: [UInt8] = []
            Base64URL.append(header(type: type, keyID: keyID).span, to: &encoded)
            latest = (type, keyID, encoded)
            return encoded
        }
    }

    private static func header(type: String, keyID: String) -> [UInt8] {
        var header = JSONWriter(reservingCapacity: 64)
        header.object { header in
            header.member("typ", type)
            header.member("alg", "HS256")
            header.member("kid", keyID)
        }
        return header.bytes
    }
}
