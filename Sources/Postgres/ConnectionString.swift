internal import CPostgres

/// Why a connection string can't be used. It tells nothing of the string, in which any part may be one of a password.
public enum ConnectionStringError: Error, Equatable, Sendable {
    /// libpq can't read it, or it names another number of hosts than of addresses or ports.
    case malformed
    /// It names a service: what stands for one in the service file could be a name that must be looked up first.
    case namesService
}

/// Where the server is, who we are there, and how it is spoken to: `postgres://…`, or libpq's keywords with their
/// values.
///
/// What it does not say comes from libpq's environment variables (`PGPASSFILE`, `PGSSLROOTCERT`), then from libpq.
/// Printing or dumping it shows nothing, since it may hold a password.
public struct ConnectionString: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What is ours to say unless the string does. A Kerberos server that does not answer would hold up the loop, and a
    /// network that has swallowed a connection is to be noticed while nobody waits for it.
    private static let preferred = [
        "application_name": "gatehouse", "gssencmode": "disable", "keepalives_idle": "15", "keepalives_interval": "5",
        "keepalives_count": "3", "tcp_user_timeout": "10000",
    ]

    /// libpq's keywords with their values, all but the hosts; none is empty.
    private let options: [String: String]
    let hosts: [ServerHost]

    /// Reads a connection string. It opens no connection and looks no name up, but may read libpq's service file.
    ///
    /// - Parameter password: in the place of the one that it has; nil for that.
    public init(_ text: String, password: String? = nil) throws(ConnectionStringError) {
        guard var given = Self.parse(text) else { throw .malformed }
        if let password { given["password"] = password }
        guard given["service"] == nil else { throw .namesService }
        var options = Self.defaults().merging(Self.preferred) { $1 }
        // An address from the environment is none of the host's that the string names.
        if given["host"] != nil { options["hostaddr"] = nil }
        options.merge(given) { $1 }
        options["service"] = nil
        options["client_encoding"] = "UTF8"
        guard
            let hosts = ServerHost.list(
                hosts: options.removeValue(forKey: "host"), addresses: options.removeValue(forKey: "hostaddr"),
                ports: options.removeValue(forKey: "port"))
        else { throw .malformed }
        (self.options, self.hosts) = (options, hosts)
    }

    /// What libpq is given to connect to these hosts, with more settings for the session.
    func parameters(hosts: [ServerHost], settings: [String]) -> [String: String] {
        var all = options
        all["host"] = hosts.map(\.name).joined(separator: ",")
        all["hostaddr"] = hosts.map(\.address).joined(separator: ",")
        all["port"] = hosts.map(\.port).joined(separator: ",")
        all["options"] = ([options["options"]].compactMap(\.self) + settings.map { "-c \($0)" }).joined(separator: " ")
        return all.filter { keyword, value in
            // A list of nothing but commas is as many empty entries as there are hosts; one entry needs no list.
            !value.isEmpty && !(keyword == "hostaddr" && value.allSatisfy { $0 == "," })
        }
    }

    public var description: String { "<redacted>" }
    public var debugDescription: String { "<redacted>" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Which database it is, without a word of who we are there.
    public var place: String {
        let servers = hosts.map { $0.port.isEmpty ? $0.name : "\($0.name):\($0.port)" }.joined(separator: ",")
        return "\(options["dbname"] ?? "") at \(servers)"
    }

    private static func parse(_ text: String) -> [String: String]? {
        // To libpq the text would end there.
        guard !text.utf8.contains(0) else { return nil }
        var message: UnsafeMutablePointer<CChar>?
        // Safe: libpq copies what it reads, and its words on what is wrong, which may quote a password, are freed
        // unread.
        let list = unsafe PQconninfoParse(text, &message)
        unsafe PQfreemem(message)
        return unsafe take(list)
    }

    private static func defaults() -> [String: String] { unsafe take(PQconndefaults()) ?? [:] }

    /// Copies the options that have a value, and frees the list.
    private static func take(_ list: UnsafeMutablePointer<PQconninfoOption>?) -> [String: String]? {
        guard let list = unsafe list else { return nil }
        defer { unsafe PQconninfoFree(list) }
        var options: [String: String] = [:]
        var next = unsafe list
        // Safe: the list ends with an entry that has no keyword.
        while let keyword = unsafe next.pointee.keyword {
            if let value = unsafe next.pointee.val, unsafe value.pointee != 0 {
                unsafe options[String(cString: keyword)] = unsafe String(cString: value)
            }
            unsafe next += 1
        }
        return options
    }
}
