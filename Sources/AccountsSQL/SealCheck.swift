package import Accounts

/// Tries to open every sealed value.
package struct SealCheck {
    /// How many are read at once, each page a read of its own: a long one would keep the log from starting over.
    private static let pageSize = 500

    package let connection: any Connection
    package let sealer: StoreSealer
    package let progress: @Sendable (_ done: Int, _ total: Int) -> Void

    package init(
        connection: any Connection, sealer: StoreSealer,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) {
        self.connection = connection
        self.sealer = sealer
        self.progress = progress
    }

    /// - Returns: a sentence for each place where values do not open, with how many.
    package func run() throws(RepositoryError) -> [String] {
        let values = SealedValues(connection: connection)
        let total = try values.count()
        var done = 0
        var findings: [String] = []
        for area in SealedArea.allCases {
            var broken = 0
            var position = area.start
            while true {
                let page = try values.page(area, after: position, limit: Self.pageSize)
                guard let last = page.last else { break }
                for value in page where try !opens(value) { broken += 1 }
                done += page.count
                // Others write meanwhile, so the total is only as good as when it was counted.
                progress(done, max(done, total))
                position = last.position
            }
            if broken > 0 { findings.append("Sealed values in \(area.table) that do not open: \(broken).") }
        }
        return findings
    }

    private func opens(_ value: SealedValues.Value) throws(RepositoryError) -> Bool {
        do throws(RepositoryError) {
            _ = try sealer.opening(value.sealed, value.context, connection)
            return true
        } catch .unavailable(.brokenSeal) {
            return false
        }
    }
}
