internal import COpenSSL
internal import Synchronization

/// Keyed hashes (RFC 2104).
public enum HMAC {
    /// HMAC-SHA-256 of a message: 32 bytes. Compare it with ``constantTimeEqual(_:_:)``.
    public static func sha256(_ message: Span<UInt8>, key: Span<UInt8>) -> [UInt8] {
        let context = idle.take(for: key) ?? HMACContext(key)
        var code: [UInt8] = []
        code.append(addingCapacity: Digest.sha256.byteCount) { output in
            let isMade = unsafe message.withUnsafeBufferPointer { message in
                unsafe output.withUnsafeMutableBufferPointer { buffer, count in
                    count = Digest.sha256.byteCount
                    return unsafe context.authenticate(message, into: buffer)
                }
            }
            // As with a plain hash, only exhausted memory makes this fail.
            precondition(isMade, "OpenSSL could not compute an HMAC")
        }
        idle.keep(context)
        return code
    }

    private static let idle = HMACContexts()

    /// HMAC-SHA-256 of a message: 32 bytes.
    public static func sha256(_ message: [UInt8], key: [UInt8]) -> [UInt8] { sha256(message.span, key: key.span) }

    /// HMAC-SHA-256 of a message under a secret: 32 bytes.
    public static func sha256(_ message: Span<UInt8>, key: Secret) -> [UInt8] {
        key.withBytes { key in sha256(message, key: key) }
    }
}

/// Contexts for the next caller: setting one up takes OpenSSL look-ups that cost more than a short message, and giving
/// it a key two blocks of hashing.
private struct HMACContexts: ~Copyable, Sendable {
    /// So many threads, or keys in turn, find theirs again; what was used longest ago goes.
    private static let most = 16

    private let contexts = Mutex<[HMACContext]>([])

    /// - Returns: one that has this key already, if there is one.
    func take(for key: Span<UInt8>) -> HMACContext? {
        contexts.withLock { contexts in
            for index in contexts.indices.reversed() where contexts[index].has(key) {
                return contexts.remove(at: index)
            }
            return nil
        }
    }

    func keep(_ context: HMACContext) {
        contexts.withLock { contexts in
            contexts.append(context)
            if contexts.count > Self.most { contexts.removeFirst() }
        }
    }
}

/// One of OpenSSL's contexts for HMAC-SHA-256, with a key; owns it.
// Proof: a context is taken out of the idle ones by one caller at a time, and the lock orders one use after the other.
@safe private final class HMACContext: @unchecked Sendable {
    // Proof: an EVP_MAC never changes after it is fetched, lives as long as the process, and may be shared.
    private nonisolated(unsafe) static let implementation = unsafe EVP_MAC_fetch(nil, "HMAC", nil)
    /// Whether a context that is given no key begins anew with the one it has, as the manual says. The first releases
    /// of OpenSSL 3 went on where the message before had ended.
    private static let beginsAnew: Bool = {
        let context = HMACContext([1, 2, 3].span)
        let codes = (0..<2).map { _ in
            unsafe [UInt8](unsafeUninitializedCapacity: Digest.sha256.byteCount) { code, count in
                let message: [UInt8] = [4, 5, 6]
                let isMade = unsafe message.withUnsafeBufferPointer { message in
                    unsafe context.authenticate(message, giving: nil, into: code)
                }
                count = isMade ? code.count : 0
            }
        }
        return !codes[0].isEmpty && codes[0] == codes[1]
    }()

    private let context: OpaquePointer?
    private let key: Secret

    init(_ key: Span<UInt8>) {
        self.key = Secret(copying: key)
        unsafe context = EVP_MAC_CTX_new(Self.implementation)
        _ = unsafe COpenSSL_EVP_MAC_CTX_use_sha256(context)
        _ = self.key.withBytes { key in unsafe key.withUnsafeBufferPointer { unsafe begin(with: $0) } }
    }

    deinit { unsafe EVP_MAC_CTX_free(context) }

    func has(_ key: Span<UInt8>) -> Bool { self.key.withBytes { constantTimeEqual($0, key) } }

    func authenticate(
        _ message: UnsafeBufferPointer<UInt8>, into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        if Self.beginsAnew { return unsafe authenticate(message, giving: nil, into: buffer) }
        return key.withBytes { key in
            unsafe key.withUnsafeBufferPointer { unsafe authenticate(message, giving: $0, into: buffer) }
        }
    }

    private func authenticate(
        _ message: UnsafeBufferPointer<UInt8>, giving key: UnsafeBufferPointer<UInt8>?,
        into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        var length = 0
        return unsafe begin(with: key) && EVP_MAC_update(context, message.baseAddress, message.count) == 1
            && EVP_MAC_final(context, buffer.baseAddress, &length, buffer.count) == 1
            && length == Digest.sha256.byteCount
    }

    private func begin(with key: UnsafeBufferPointer<UInt8>?) -> Bool {
        guard let key = unsafe key else { return unsafe EVP_MAC_init(context, nil, 0, nil) == 1 }
        // An empty key has no address, and without one OpenSSL would take none.
        var none: UInt8 = 0
        return unsafe withUnsafePointer(to: &none) { none in
            unsafe EVP_MAC_init(context, key.baseAddress ?? none, key.count, nil) == 1
        }
    }
}
