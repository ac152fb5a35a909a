import Synchronization

/// A body that many answers have: they share its bytes, and its gzip form, which is made once, for the first client
/// that takes it, and kept.
public final class SharedBody: Sendable {
    private enum Compressed: Sendable {
        case notYet
        /// Nil when gzip makes it no shorter.
        case done([UInt8]?)
    }

    public let bytes: [UInt8]
    private let compressed = Mutex<Compressed>(.notYet)

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The gzip form, or nil when there is no use in one.
    ///
    /// - Parameter encode: makes it. Loops that ask at the same moment all make it, so that none waits for another, and
    ///   keep the one that was made first.
    func gzip(_ encode: ([UInt8]) -> [UInt8]?) -> [UInt8]? {
        if case .done(let encoded) = compressed.withLock({ $0 }) { return encoded }
        let encoded = encode(bytes)
        return compressed.withLock { compressed in
            if case .done(let earlier) = compressed { return earlier }
            compressed = .done(encoded)
            return encoded
        }
    }
}
