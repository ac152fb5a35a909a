public import Glibc

/// A system call that failed: which one, and the `errno` it left.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    public let call: String
    public let code: Int32

    public init(call: String, code: Int32) {
        (self.call, self.code) = (call, code)
    }

    /// What the code means, in the system's own words.
    public var reason: String {
        guard let text = unsafe strerror(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }

    public var description: String { "\(call): \(reason)" }

    /// A host that has no address.
    public static let hostNotFound = SystemError(call: "getaddrinfo", code: EADDRNOTAVAIL)

    /// Whether the machine has not the address that was asked for, or none of its family.
    public var meansNoSuchAddress: Bool { code == EADDRNOTAVAIL || code == EAFNOSUPPORT }

    /// Whether this process, or the system, has no descriptor left.
    public var meansNoDescriptorIsLeft: Bool { code == EMFILE || code == ENFILE }

    /// Whether the system has no memory left for what was asked of it.
    public var meansNoMemoryIsLeft: Bool { code == ENOBUFS || code == ENOMEM }
}

/// Makes a system call, again while a signal interrupts it, and reads `errno` exactly once, right after it failed.
///
/// - Throws: `SystemError` when the call returns a negative number.
@discardableResult @inlinable @inline(__always)
public func systemCall<Result: FixedWidthInteger & SignedInteger>(
    _ name: StaticString, _ body: () -> Result
) throws(SystemError) -> Result {
    while true {
        let result = body()
        if result >= 0 { return result }
        let code = errno
        if code != EINTR { throw SystemError(call: name.description, code: code) }
    }
}

/// Like ``systemCall(_:_:)`` for calls on non-blocking descriptors.
///
/// - Returns: the result, or nil when the call would have blocked.
@inlinable @inline(__always)
public func nonBlockingCall<Result: FixedWidthInteger & SignedInteger>(
    _ name: StaticString, _ body: () -> Result
) throws(SystemError) -> Result? {
    while true {
        let result = body()
        if result >= 0 { return result }
        let code = errno
        if code == EAGAIN || code == EWOULDBLOCK { return nil }
        if code != EINTR { throw SystemError(call: name.description, code: code) }
    }
}
