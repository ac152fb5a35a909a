import Accounts
import Syntax
import Testing

extension RepositoryContract {
    static let budgetClauses = [
        RepositoryContract("what may be done so often is counted for each by itself, and anew when its time is over") {
            store in
            let budget = Budget("test", limit: 3, seconds: 60)
            for _ in 0..<3 {
                let wait = try await store.take(budget, for: [1], now: Sample.now)
                #expect(wait == nil)
            }
            #expect(try await store.take(budget, for: [1], now: Sample.now + 20) == 40)
            #expect(try await store.take(budget, for: [2], now: Sample.now + 20) == nil)
            #expect(
                try await store.take(Budget("other", limit: 1, seconds: 60), for: [1], now: Sample.now + 20) == nil)
            for _ in 0..<3 { #expect(try await store.take(budget, for: [1], now: Sample.now + 60) == nil) }
            #expect(try await store.take(budget, for: [1], now: Sample.now + 60) == 60)
        },
        RepositoryContract("of any number at once only so many are let in") { store in
            let budget = Budget("test", limit: 5, seconds: 60)
            let taken = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await store.take(budget, for: [1], now: Sample.now) == nil }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(taken == 5)
        },
        RepositoryContract("who has a /48 may do as much as sixteen, however many networks it is") { store in
            let budget = Budget("test", limit: 1, seconds: 60)
            var taken = 0
            for number in 0..<64 as Range<UInt64> {
                let address = IPAddress(v6: 0x2001_0DB8_0001_0000 | number << 8, number)
                if try await store.take(budget, for: address, now: Sample.now) == nil { taken += 1 }
            }
            #expect(taken == 16)
            let address = IPAddress(v4: 0xC000_0201)
            #expect(try await store.take(budget, for: address, now: Sample.now) == nil)
            #expect(try await store.take(budget, for: IPAddress(v6: 0, 0xFFFF_C000_0201), now: Sample.now) == 60)
        },
        RepositoryContract("what is counted goes when its time is over") { store in
            _ = try await store.take(Budget("test", limit: 1, seconds: 60), for: [1], now: Sample.now)
            #expect(try await store.sweepExpired(now: Sample.now + 59, limit: 10) == 0)
            #expect(try await store.sweepExpired(now: Sample.now + 60, limit: 10) == 1)
        },
    ]
}
