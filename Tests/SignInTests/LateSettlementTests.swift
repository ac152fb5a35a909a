import Accounts
import Patience
import Synchronization
import Testing

@testable import SignIn

@Suite struct `What the store is told of a code` {
    private final class Store: Sendable {
        let calls = Atomic(0)
        let failures: Int
        let error: RepositoryError

        init(failing failures: Int, with error: RepositoryError) {
            (self.failures, self.error) = (failures, error)
        }

        @Sendable func call() async throws(RepositoryError) {
            if calls.wrappingAdd(1, ordering: .relaxed).newValue <= failures { throw error }
        }
    }

    @Test func `is told at once where that works`() async {
        let store = Store(failing: 0, with: .unavailable(.locked))
        #expect(await LateSettlements().settle(store.call))
        #expect(store.calls.load(ordering: .relaxed) == 1)
    }

    @Test func `is told behind the answer, as soon as the store takes it again`() async throws {
        let late = LateSettlements(pause: .milliseconds(1))
        let store = Store(failing: 5, with: .unavailable(.cannotConnect(.nobodyThere)))
        #expect(await !late.settle(store.call))
        try await eventually("the sixth call") { store.calls.load(ordering: .relaxed) == 6 && late.count == 0 }
    }

    @Test(arguments: [RepositoryError.unavailable(.closed), .unstorableText])
    func `is not told again where it will never work`(_ error: RepositoryError) async throws {
        let late = LateSettlements(pause: .milliseconds(1))
        let store = Store(failing: .max, with: error)
        #expect(await !late.settle(store.call))
        #expect(late.count == 0 && store.calls.load(ordering: .relaxed) == 1)
    }
}
