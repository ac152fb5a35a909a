import Syntax
import System

/// A token in the compact serialization (RFC 7515 §7.1), read but not verified.
public struct CompactJWS: Sendable {
    /// What the token says of itself. Nothing of it is proven.
    public let header: JWSHeader
    /// The payload before any verification, for finding out whose keys to ask; ``JWS/verify(_:keys:allowed:)`` is the
    /// way to a payload that may be believed.
    public let unverifiedPayload: [UInt8]
    let signature: [UInt8]
    private let bytes: [UInt8]
    private let signingInputCount: Int

    /// Reads a token.
    ///
    /// It must be exactly three parts, of which the payload alone may be empty (RFC 7515 §3.1); whether it holds claims
    /// is for whoever reads it.
    /// - Parameter maximumByteCount: the longest token taken.
    /// - Throws: `JOSEError.malformed`, or `.algorithm` when the token's algorithm is no public-key signature.
    public init(parsing bytes: [UInt8], maximumByteCount: Int) throws(JOSEError) {
        guard bytes.count <= maximumByteCount else { throw .malformed(.tooLong) }
        guard let headerEnd = Self.dot(in: bytes.span, from: 0), headerEnd > 0,
            let payloadEnd = Self.dot(in: bytes.span, from: headerEnd + 1),
            Self.dot(in: bytes.span, from: payloadEnd + 1) == nil
        else { throw .malformed(.parts) }
        guard let header = Base64URL.decode(bytes.span.extracting(0..<headerEnd)) else { throw .malformed(.header) }
        // The header goes first, so that `none` is an algorithm we refuse and not a signature that is missing.
        self.header = try JWSHeader(parsing: header)
        guard payloadEnd + 1 < bytes.count else { throw .malformed(.emptySignature) }
        guard let payload = Base64URL.decode(bytes.span.extracting((headerEnd + 1)..<payloadEnd)) else {
            throw .malformed(.payloadEncoding)
        }
        guard let signature = Base64URL.decode(bytes.span.extracting((payloadEnd + 1)..<bytes.count)) else {
            throw .malformed(.signatureEncoding)
        }
        unverifiedPayload = payload
        self.signature = signature
        self.bytes = bytes
        signingInputCount = payloadEnd
    }

    /// Reads a token; see ``init(parsing:maximumByteCount:)``.
    public init(parsing token: String, maximumByteCount: Int) throws(JOSEError) {
        // Measured before it is copied.
        guard token.utf8.count <= maximumByteCount else { throw .malformed(.tooLong) }
        try self.init(parsing: Array(token.utf8), maximumByteCount: maximumByteCount)
    }

    private static func dot(in bytes: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        // A token has nearly a thousand bytes, and three dots at most.
        while index + 32 <= bytes.count, !hasDot(bytes.block(at: index)) { index += 32 }
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: ".") { return index }
            index += 1
        }
        return nil
    }

    private static func hasDot(_ block: SIMD4<UInt64>) -> Bool {
        let ones = SIMD4<UInt64>(repeating: 0x0101_0101_0101_0101)
        let rest = block ^ (ones &* UInt64(UInt8(ascii: ".")))
        // Whether a byte is zero, and so was a dot.
        let zeros = (rest &- ones) & ~rest
        return (zeros[0] | zeros[1] | zeros[2] | zeros[3]) & 0x8080_8080_8080_8080 != 0
    }

    /// Lends what the signature is over: header and payload as they were sent (RFC 7515 §5.2 step 8).
    func withSigningInput<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        body(bytes.span.extracting(0..<signingInputCount))
    }
}
