internal import Glibc

/// Where a service manager hears what becomes of a process that it has started: datagrams of lines `NAME=VALUE`, as
/// `sd_notify(3)` describes them.
public struct NotifySocket: Sendable {
    /// A name that lies in no file system begins with a zero, which `NOTIFY_SOCKET` writes as `@`.
    private let name: [UInt8]

    /// - Parameter path: what `NOTIFY_SOCKET` says: an absolute path, or a name after an `@`.
    /// - Returns: nil for anything else, and for what no socket can be called.
    public init?(path: String) {
        var name = Array(path.utf8)
        guard name.count > 1, name.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { return nil }
        switch name[0] {
        case UInt8(ascii: "/"): break
        case UInt8(ascii: "@"): name[0] = 0
        default: return nil
        }
        self.name = name
    }

    /// Sends lines, which arrive together or not at all. It does not wait for a manager that is busy.
    public func send(_ lines: [String]) throws(SystemError) {
        let socket = OwnedDescriptor(
            owning: try systemCall("socket") {
                Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            })
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // Safe: the initialiser has seen that the name is shorter than the place for it.
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + name.count } ?? 0)
        let text = Array(lines.joined(separator: "\n").utf8)
        let number = socket.number
        try systemCall("sendto") {
            unsafe withUnsafePointer(to: &address) { place in
                unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                    unsafe sendto(
                        number, text, text.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), name,
                        length)
                }
            }
        }
    }
}
