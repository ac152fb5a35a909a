internal import CCurl
import EventLoop
import Glibc

/// The file of certificates that TLS connections of one policy are checked against.
///
/// Curl parses a file once and keeps the result, but neither a directory nor a blob: parsing the system's anchors for
/// every connection would cost more than the rest of the handshake. So the system's and the policy's anchors are put
/// together in one file, which lives in memory: containers run on a read-only root.
struct TrustAnchors: ~Copyable {
    /// What to give to curl as `CURLOPT_CAINFO`; nil leaves curl without anchors, so that every handshake fails.
    let path: String?
    private let memory: OwnedDescriptor?

    /// - Parameters:
    ///   - system: the system's file; one that can't be read counts as empty.
    ///   - extra: the policy's file.
    /// - Throws: `tlsFailed` when `extra` can't be read or has no certificate in it. Going on without it would turn a
    ///   mistake in a path into a riddle about certificates.
    init(system: String?, extra: String?) throws(HTTPClientError) {
        guard let extra else {
            path = system
            memory = nil
            return
        }
        guard let added = Self.contents(of: extra), Self.hasCertificate(added) else { throw .tlsFailed }
        let anchors = (system.flatMap(Self.contents) ?? []) + [UInt8(ascii: "\n")] + added
        let number = unsafe CCurl_memory_file("trust anchors")
        guard number >= 0 else { throw .tlsFailed }
        let memory = OwnedDescriptor(owning: number)
        guard Self.write(anchors, to: number) else { throw .tlsFailed }
        // Opened by this path, the file is read from its start, as often as it takes.
        path = "/proc/self/fd/\(number)"
        self.memory = consume memory
    }

    private static func hasCertificate(_ bytes: [UInt8]) -> Bool {
        String(decoding: bytes, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----")
    }

    /// Reads a whole file, once for each policy and loop, like curl does later.
    private static func contents(of path: String) -> [UInt8]? {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return nil }
        let file = OwnedDescriptor(owning: number)
        var bytes: [UInt8] = []
        while true {
            let chunk = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                count = unsafe read(file.number, buffer.baseAddress, buffer.count)
                if count < 0 { count = 0 }
            }
            guard !chunk.isEmpty else { return bytes }
            bytes += chunk
        }
    }

    private static func write(_ bytes: [UInt8], to number: Int32) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let written = unsafe bytes.withUnsafeBytes { raw in
                unsafe Glibc.write(number, raw.baseAddress?.advanced(by: offset), raw.count - offset)
            }
            guard written > 0 else { return false }
            offset += written
        }
        return true
    }
}
