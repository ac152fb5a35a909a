/// Whose words a provider has, by the names that the key `dialect` knows.
public struct DialectName: RawRepresentable, CaseIterable, Hashable, Sendable {
    public static let allCases = Dialect.all.compactMap(\.name).map { DialectName(known: $0) }
    /// Nobody's own.
    public static let standard = DialectName(known: "standard")

    public let rawValue: String

    private init(known name: String) { rawValue = name }

    public init?(rawValue: String) {
        guard Dialect.all.contains(where: { $0.name == rawValue }) else { return nil }
        self.rawValue = rawValue
    }

    public var dialect: Dialect { Dialect.all.first { $0.name == rawValue } ?? .standard }

    /// Whose words a provider has, by the host of its issuer.
    ///
    /// - Parameter host: in lower case.
    public init(host: String) {
        let dialect = Dialect.all.first { dialect in
            dialect.name != nil && dialect.hosts.contains { host == $0 || host.hasSuffix("." + $0) }
        }
        self = dialect?.name.map { DialectName(known: $0) } ?? .standard
    }
}
