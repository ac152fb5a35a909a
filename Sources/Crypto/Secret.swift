internal import COpenSSL

/// A password, client secret, token or key: text or bytes that must never be printed.
///
/// Descriptions, debug descriptions, reflection and `dump` show `<redacted>`. The bytes live in memory of their own
/// that is overwritten when the last copy is dropped; a `String` or array it was made from, or revealed as, is beyond
/// its reach. Two secrets are compared in a time that does not depend on their content.
public struct Secret: Sendable {
    private let storage: Storage

    /// Keeps the UTF-8 of a text.
    public init(_ text: String) { self.init(copying: text.utf8.span) }

    /// Keeps bytes.
    public init(_ bytes: [UInt8]) { self.init(copying: bytes.span) }

    /// Keeps a copy of bytes.
    public init(copying bytes: Span<UInt8>) { storage = Storage(copying: bytes) }

    /// Keeps bytes, and overwrites the place that they come from.
    public init(taking bytes: inout [UInt8]) {
        self.init(copying: bytes.span)
        unsafe bytes.withUnsafeMutableBufferPointer { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
        bytes = []
    }

    /// Bytes that a function makes, which are nowhere else.
    ///
    /// - Parameter body: fills the buffer, and says whether it has.
    init?(byteCount: Int, filledBy body: (UnsafeMutableBufferPointer<UInt8>) -> Bool) {
        storage = Storage(byteCount: byteCount)
        guard unsafe body(storage.buffer) else { return nil }
    }

    /// What stands in the place of a secret wherever one would be printed.
    public static var redacted: String { "<redacted>" }

    /// The number of bytes.
    public var count: Int { unsafe storage.buffer.count }
    public var isEmpty: Bool { count == 0 }

    /// Lends the bytes to a function without copying them.
    public func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // The span depends on a copy of the pointer, so the storage must be kept until the body is done.
        defer { withExtendedLifetime(storage) {} }
        let bytes = unsafe UnsafeBufferPointer(storage.buffer)
        return try unsafe body(Span(_unsafeElements: bytes))
    }

    /// A copy of the bytes, outside this type's protection.
    public var revealedBytes: [UInt8] { unsafe Array(storage.buffer) }

    /// The text, outside this type's protection; bytes that are not UTF-8 come out as replacement characters.
    public var revealedText: String { unsafe String(decoding: storage.buffer, as: UTF8.self) }

    // Proof: the buffer is written in the initialiser only, read while references exist, and freed after the last.
    @safe private final class Storage: @unchecked Sendable {
        let buffer: UnsafeMutableBufferPointer<UInt8>

        init(copying bytes: Span<UInt8>) {
            unsafe buffer = .allocate(capacity: bytes.count)
            unsafe bytes.withUnsafeBufferPointer { _ = unsafe buffer.initialize(fromContentsOf: $0) }
        }

        init(byteCount: Int) {
            unsafe buffer = .allocate(capacity: byteCount)
            unsafe buffer.initialize(repeating: 0)
        }

        deinit {
            unsafe OPENSSL_cleanse(buffer.baseAddress, buffer.count)
            unsafe buffer.deallocate()
        }
    }
}

extension Secret: Equatable {
    public static func == (left: Secret, right: Secret) -> Bool {
        left.withBytes { left in right.withBytes { right in constantTimeEqual(left, right) } }
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { Self.redacted }
    public var debugDescription: String { Self.redacted }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Whether two byte strings are equal, in a time that depends on their lengths only.
///
/// For hashes and authentication codes that someone else presents; lengths are not secret.
public func constantTimeEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    guard !left.isEmpty else { return true }
    return unsafe left.withUnsafeBufferPointer { left in
        unsafe right.withUnsafeBufferPointer { right in
            unsafe CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
        }
    }
}

/// Whether two byte strings are equal, in a time that depends on their lengths only.
public func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool { constantTimeEqual(left.span, right.span) }
