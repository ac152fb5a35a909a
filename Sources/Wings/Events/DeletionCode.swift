internal import Crypto
internal import SignIn
internal import Syntax

/// What somebody shows who has asked a provider to be forgotten by us, to see that it was done.
///
/// It is made when what follows from the request is on disk, and proves itself: nobody without the provider's secret
/// can make one up, and nothing needs to be kept for it. The same request has the same code. Of the user there is
/// nothing in it.
struct DeletionCode {
    private static let purpose = Array("gatehouse: confirmation of a deletion".utf8)
    private static let (timeBytes, nameBytes, proofBytes) = (8, 8, 16)

    private let key: [UInt8]

    /// - Parameter secret: the one that the provider shares with us. What it signs itself is base64url; the purpose is
    ///   not.
    init(secret: Secret) {
        key = HMAC.sha256(Self.purpose.span, key: secret)
    }

    /// - Parameters:
    ///   - request: the signed request, or what it is known by.
    ///   - time: when it was made, in seconds since 1970.
    func text(for request: String, at time: Int64) -> String {
        let name = HMAC.sha256(Array(request.utf8), key: key).prefix(Self.nameBytes)
        let shown = (0..<Self.timeBytes).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) } + name
        // Facebook asks for letters and digits.
        return Hexadecimal.encode(shown + proof(of: shown))
    }

    /// When the request of a code was made, in seconds since 1970; nil for what is no code of ours.
    func time(of text: String) -> Int64? {
        guard let bytes = Self.bytes(of: text) else { return nil }
        let shown = Array(bytes.dropLast(Self.proofBytes))
        guard constantTimeEqual(Array(bytes.suffix(Self.proofBytes)), proof(of: shown)) else { return nil }
        return bytes.prefix(Self.timeBytes).reduce(0) { $0 << 8 | Int64($1) }
    }

    /// One code has one text: digits in upper case are none.
    private static func bytes(of text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap(\.hexadecimalValue)
        guard text.utf8.count == 2 * (timeBytes + nameBytes + proofBytes), digits.count == text.utf8.count else {
            return nil
        }
        let bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        return Hexadecimal.encode(bytes) == text ? bytes : nil
    }

    private func proof(of shown: [UInt8]) -> [UInt8] {
        // No request begins like the purpose, so no name of one is a proof of anything.
        Array(HMAC.sha256(Self.purpose + shown, key: key).prefix(Self.proofBytes))
    }
}
