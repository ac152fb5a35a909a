import Glibc

/// A file descriptor with exactly one owner, which closes it when it goes.
public struct OwnedDescriptor: ~Copyable, Sendable {
    /// The number to call the system with. It must not outlive the owner.
    public let number: Int32

    /// Takes ownership of an open descriptor.
    public init(owning number: Int32) {
        self.number = number
    }

    /// Another number for an open descriptor, which may be somebody else's. No other program that is started gets it.
    public init(duplicating number: Int32) throws(SystemError) {
        self.number = try systemCall("fcntl") { fcntl(number, F_DUPFD_CLOEXEC, 3) }
    }

    deinit {
        // Linux has freed the number even when close reports an error: closing again would hit another's descriptor.
        close(number)
    }
}

/// A descriptor that somebody else owns and keeps open, such as standard error, for writing.
public struct DescriptorOutput: Sendable {
    /// Where errors go.
    public static let standardError = DescriptorOutput(STDERR_FILENO)

    private let number: Int32

    public init(_ number: Int32) {
        self.number = number
    }

    /// Writes bytes, and waits until the descriptor takes them, also one that somebody has made non-blocking.
    ///
    /// - Returns: how many were written; fewer than there are when the descriptor takes no more.
    @discardableResult
    public func write(_ bytes: Span<UInt8>) -> Int {
        var offset = 0
        while offset < bytes.count {
            let rest = bytes.extracting(offset...)
            do throws(SystemError) {
                let count = try nonBlockingCall("write") {
                    unsafe rest.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
                }
                if count == 0 { break }
                offset += count ?? 0
                if count == nil { awaitRoom() }
            } catch {
                break
            }
        }
        return offset
    }

    private func awaitRoom() {
        var waiting = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&waiting, 1, -1)
    }
}
