internal import Crypto
internal import Syntax

/// Where a database server is, and how the way there is kept, as its URL says it (PostgreSQL, "Connection URIs"). What
/// else the URL says is read where it is connected to.
struct DatabaseLocation: Equatable {
    /// The mode in which TLS shows that it is the right server.
    static let verified = "verify-full"

    /// Whether any of its servers is on another machine.
    let isElsewhere: Bool
    /// libpq's, as it is written; nil where nothing is said of it.
    let sslMode: String?

    /// - Parameter url: with `postgres://` or `postgresql://` at its beginning.
    init(_ url: String) {
        let rest = url.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false).last ?? ""
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let authority = (parts.first ?? "").prefix { $0 != "/" }
        let named = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        var parameters: [String: String] = [:]
        for field in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let pair = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            parameters[Self.decoded(pair[0])] = pair.count > 1 ? Self.decoded(pair[1]) : ""
        }
        // An address wins over a name, and a parameter over what stands before the path.
        let hosts =
            (parameters["hostaddr"] ?? parameters["host"])?.split(separator: ",").map(String.init)
            ?? named.split(separator: ",").map { Self.decoded(Self.withoutPort($0)) }
        isElsewhere = hosts.contains { !Self.isHere($0) }
        sslMode = parameters["sslmode"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Without a host, and in a folder, it is a socket of this machine.
    private static func isHere(_ host: String) -> Bool {
        host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || HostName.isLoopback(host)
    }

    private static func withoutPort(_ server: Substring) -> Substring {
        server.hasPrefix("[") ? server.dropFirst().prefix { $0 != "]" } : server.prefix { $0 != ":" }
    }

    private static func decoded(_ text: Substring) -> String {
        let bytes = Array(text.utf8)
        var scratch: [UInt8] = []
        let range = 0..<bytes.count
        return PercentEncoding.decode(bytes.span, range, plusIsSpace: false, scratch: &scratch) ?? String(text)
    }
}

extension Settings.Storage {
    /// Where the database is, if that is another machine.
    var elsewhere: DatabaseLocation? {
        guard case .postgres(let url) = url else { return nil }
        let location = DatabaseLocation(url.revealedText)
        return location.isElsewhere ? location : nil
    }
}
