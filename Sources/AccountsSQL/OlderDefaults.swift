public import Accounts

/// The mark that a step of the schema leaves in a store that is older than itself. It is copied and restored with the
/// store.
enum OlderDefaults {
    fileprivate static let find = Query("SELECT 1 FROM meta WHERE name = 'older_defaults'")
}

extension SQLStore {
    public func hasOlderDefaults() async throws(RepositoryError) -> Bool {
        try await read { connection throws(RepositoryError) in
            try connection.first(OlderDefaults.find) { _ in true } ?? false
        }
    }
}
