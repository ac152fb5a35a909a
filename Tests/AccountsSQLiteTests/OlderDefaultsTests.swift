import Accounts
import AccountsSQL
import TestSupport
import Testing

@testable import AccountsSQLite

/// Keys of the configuration that nobody has set mean in an older store what was so when it was made.
@Suite struct `The defaults of a store` {
    private let folder = TemporaryFolder()

    @Test(arguments: [8, 14])
    func `are older ones where it was made before they changed, for as long as it is there`(version: Int) async throws {
        try folder.makeStore(ofVersion: version, sessionBy: 1)
        for _ in 0..<2 {
            let store = try await folder.open()
            #expect(try await store.hasOlderDefaults())
            await store.close()
        }
    }

    @Test func `are those of its time in a new store, for as long as it is there`() async throws {
        for _ in 0..<2 {
            let store = try await folder.open()
            #expect(try await !store.hasOlderDefaults())
            await store.close()
        }
    }
}
