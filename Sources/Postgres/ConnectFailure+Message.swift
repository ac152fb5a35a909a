extension ConnectFailure {
    /// What libpq says where there is no server's code, in the C locale, and what it means.
    private static let sayings: [(String, ConnectFailure)] = [
        ("no password supplied", .passwordMissing), ("session is read-only", .otherRole),
        ("session is not read-only", .otherRole), ("server is in hot standby mode", .otherRole),
        ("server is not in hot standby mode", .otherRole), ("certificate", .tlsFailed), ("SSL", .tlsFailed),
        ("Connection refused", .nobodyThere), ("No such file or directory", .nobodyThere),
        ("timeout expired", .timedOut), ("could not translate host name", .nameNotFound),
    ]

    /// Reads why there is no connection. Where a server has refused, the last words are its severity and code.
    init(message: String) {
        let words = message.split(whereSeparator: \.isWhitespace).suffix(2)
        if words.count == 2, let severity = words.first, let code = words.last, severity.hasSuffix(":"),
            code.utf8.count == 5,
            code.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (65...90).contains($0) })
        {
            self = .refused(SQLState(code: String(code)))
        } else {
            self = Self.sayings.first { message.contains($0.0) }?.1 ?? .unreachable
        }
    }
}
