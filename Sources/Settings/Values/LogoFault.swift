/// Why a picture is refused.
struct LogoFault: Error, Equatable {
    /// What was found, as it completes "it has …".
    let found: String

    /// How much of what a file calls something is said.
    private static let longestName = 40

    init(_ found: String) {
        self.found = found
    }

    /// - Parameter name: as the file has it, of which the characters of names are said.
    init(_ found: String, named name: some StringProtocol) {
        let shown = name.utf8.filter { $0 > 0x20 && $0 < 0x7F }.prefix(Self.longestName)
        self.found = "\(found) \(String(decoding: Array(shown), as: UTF8.self))"
    }
}
