internal import COpenSSL

/// A request to a server on this machine, whose certificate is for the names that others know it by.
public enum LocalProbe {
    /// Sends a request and reads the beginning of its answer. It blocks.
    ///
    /// - Parameters:
    ///   - socket: the number of a connected socket.
    ///   - count: so many bytes at most.
    /// - Returns: nil where there is no answer.
    public static func answer(to request: [UInt8], over socket: Int32, atMost count: Int) -> [UInt8]? {
        guard let context = unsafe SSL_CTX_new(TLS_client_method()) else { return nil }
        defer { unsafe SSL_CTX_free(context) }
        guard let connection = unsafe SSL_new(context) else { return nil }
        defer { unsafe SSL_free(connection) }
        var bytes = [UInt8](repeating: 0, count: count)
        // Safe: both buffers live as long as their calls.
        guard unsafe SSL_set_fd(connection, socket) == 1, unsafe SSL_connect(connection) == 1,
            unsafe request.withUnsafeBytes({ unsafe SSL_write(connection, $0.baseAddress, Int32($0.count)) })
                == request.count
        else { return nil }
        let received = unsafe bytes.withUnsafeMutableBytes {
            unsafe SSL_read(connection, $0.baseAddress, Int32($0.count))
        }
        return received > 0 ? Array(bytes.prefix(Int(received))) : nil
    }
}
