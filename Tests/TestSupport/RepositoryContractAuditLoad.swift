import Accounts
import Patience
import Testing

/// The audit trail beside load.
extension RepositoryContract {
    static let auditLoadClauses = [
        RepositoryContract("old events go in steps beside sign-ins, and who follows by cursors sees each new one") {
            store, other in
            for value in 0..<40 { _ = try await store.signedIn(Sample.signIn(Sample.subject("old-\(value)"))) }
            let later = Sample.now + 86_400
            let start = try #require(try await store.auditPage(AuditQuery(order: .newestFirst, limit: 1))?.next)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        for number in 0..<10 {
                            let record = Sample.signIn(Sample.subject("\(writer)-\(number)"), now: later)
                            _ = try await (number % 2 == 0 ? store : other).signedIn(record)
                        }
                    }
                }
                group.addTask {
                    let steps = try await untilNothingIsLeft(within: .seconds(300)) {
                        try await other.removeAuditEvents(before: later, limit: 3)
                    }
                    #expect(steps.max() == 3 && steps.reduce(0, +) == 40)
                }
                try await group.waitForAll()
            }
            let all = try await store.auditEvents(after: 0, limit: .max)
            #expect(all.count == 40 && all.allSatisfy { $0.at == later })
            // Its own row has gone meanwhile.
            let place = AuditCursor(order: .oldestFirst, sequence: start.sequence, rank: start.rank, id: start.id)
            var (seen, from): ([Int64], AuditQuery.Place) = ([], .cursor(place))
            try await untilNothingIsLeft(within: .seconds(300)) {
                let page = try #require(
                    try await store.auditPage(AuditQuery(order: .oldestFirst, place: from, limit: 1)))
                if let next = page.next { from = .cursor(next) }
                seen += page.events.map(\.id)
                return page.events.count
            }
            #expect(seen == all.map(\.id))
        },
        RepositoryContract("many who do the same thing at once make one row, and none is left out of the count") {
            store, other in
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            let (tasks, each) = (8, Sample.repeats / 8)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<tasks {
                    group.addTask {
                        for _ in 0..<each {
                            try await (task % 2 == 0 ? store : other).note(.userViewed, of: user, [], now: Sample.now)
                        }
                    }
                }
                try await group.waitForAll()
            }
            _ = try await store.settleAudit(now: Sample.now + 60, limit: 10)
            let rows = try await store.auditEvents(after: 0, limit: 100).filter { $0.kind == .userViewed }
            #expect(rows.map(\.count) == [nil, Int64(tasks * each - 1)])
        },
    ]
}
