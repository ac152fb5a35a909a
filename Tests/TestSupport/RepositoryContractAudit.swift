import Accounts
import Patience
import Synchronization
import Testing

/// Who did what, and how the audit trail is read.
extension RepositoryContract {
    static let auditClauses = originClauses + pageClauses + followerClauses + repeatClauses + retentionClauses

    private static let originClauses = [
        RepositoryContract("erasing a user leaves another row by the user, an operator and the command line") { store in
            let session = Sample.session()
            let own = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            let others = [
                try await store.signedIn(Sample.signIn(Sample.subject("2"))).user,
                try await store.signedIn(Sample.signIn(Sample.subject("3"))).user,
            ]
            let live = try #require(try await store.session(session.id, now: Sample.now))
            let user = AuditContext(AuditOrigin(actor: .user, request: "r1"))
            user.use(live)
            try await AuditContext.$current.withValue(user) {
                try await store.erased(under: session.id, demands: Sample.demands, now: Sample.now)
            }
            let anna = AuditOrigin(actor: .operator("anna"), request: "r2", reason: "ticket 7")
            try await AuditContext.$current.withValue(AuditContext(anna)) {
                _ = try await store.erase(others[0], now: Sample.now)
            }
            let root = AuditOrigin(actor: .commandLine("root"))
            try await AuditContext.$current.withValue(AuditContext(root)) {
                _ = try await store.erase(others[1], now: Sample.now)
            }
            let rows = try await store.auditEvents(after: 0, limit: 10).filter { $0.kind == .userErased }
            #expect(rows.map(\.user) == [own] + others)
            #expect(
                rows.map(\.origin) == [
                    AuditOrigin(actor: .user, app: live.client, session: session.id, request: "r1"), anna, root,
                ])
        },
        RepositoryContract("a new user's row names the session that opened, its app and the request, by either way") {
            store in
            let simple = Sample.signIn(Sample.subject("1"))
            var challenged = Sample.signIn(Sample.subject("2"))
            challenged.draft.challenge = Sample.code()
            for record in [simple, challenged] {
                let origin = AuditOrigin(actor: .user, request: "r")
                let signedIn = try await AuditContext.$current.withValue(AuditContext(origin)) {
                    try await store.signedIn(record)
                }
                let row = try #require(try await store.auditEvents(after: 0, limit: 1, user: signedIn.user).first)
                #expect(
                    row.origin
                        == AuditOrigin(
                            actor: .user, app: record.session.client, session: record.session.id, request: "r"))
                #expect(row.newIdentity == signedIn.identity)
            }
        },
        RepositoryContract("what nobody has asked for is the service's own, and a session's end names the session") {
            store in
            let session = Sample.session()
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session))
            let provider = AuditContext(AuditOrigin(actor: .provider("zenkey"), request: "r"))
            try await AuditContext.$current.withValue(provider) {
                _ = try await store.revokeSession(session.id, now: Sample.now)
            }
            let rows = try await store.auditEvents(after: 0, limit: 10)
            #expect(rows.map(\.origin?.actor) == [.system, .provider("zenkey")])
            #expect(rows.last?.origin?.session == session.id)
            #expect(rows.last?.origin?.app == session.client)
        },
    ]

    private static func query(
        _ order: AuditQuery.Order = .newestFirst, limit: Int = 100, place: AuditQuery.Place = .start
    ) -> AuditQuery {
        AuditQuery(order: order, place: place, limit: limit)
    }

    private static let pageClauses = [
        RepositoryContract("pages go from the newest to the oldest, or back, each event once") { store in
            for value in 1...5 { _ = try await store.signedIn(Sample.signIn(Sample.subject("\(value)"))) }
            let all = try await store.auditEvents(after: 0, limit: 100).map(\.id)
            #expect(all.count == 5)
            for order in AuditQuery.Order.allCases {
                var (seen, place): ([Int64], AuditQuery.Place) = ([], .start)
                try await untilNothingIsLeft(within: .seconds(300)) {
                    let page = try #require(try await store.auditPage(query(order, limit: 2, place: place)))
                    seen += page.events.map(\.id)
                    if let next = page.next { place = .cursor(try #require(AuditCursor(next.text))) }
                    return page.events.count
                }
                #expect(seen == (order == .oldestFirst ? all : all.reversed()))
            }
        },
        RepositoryContract("a cursor is good for its own order and its own kind of store") { store in
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
            let next = try #require(try await store.auditPage(query(.newestFirst))?.next)
            #expect(try await store.auditPage(query(.oldestFirst, place: .cursor(next))) == nil)
            #expect(try await store.auditPage(query(.newestFirst, place: .after(1))) == nil)
            for sequence in [AuditCursor.Sequence.number, .transaction, .time] where sequence != next.sequence {
                let other = AuditCursor(order: next.order, sequence: sequence, rank: next.rank, id: next.id)
                #expect(try await store.auditPage(query(place: .cursor(other))) == nil)
            }
        },
        RepositoryContract("events are found by what they are, whom they are about, who did it, and when") { store in
            let first = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            let later = Sample.now + 200_000
            let session = Sample.session(expiresAt: later + 1)
            let second = try await store.signedIn(Sample.signIn(Sample.subject("2"), session: session, now: later)).user
            let anna = AuditContext(AuditOrigin(actor: .operator("anna")))
            try await AuditContext.$current.withValue(anna) {
                _ = try await store.revokeSessions(of: second, except: nil, now: later)
                _ = try await store.erase(first, now: later + 200_000)
            }
            func found(_ change: (inout AuditQuery) -> Void) async throws -> [AuditEvent.Kind] {
                var asked = query(.oldestFirst)
                change(&asked)
                let kinds = try #require(try await store.auditPage(asked)).events.map(\.kind)
                asked.order = .newestFirst
                #expect(try #require(try await store.auditPage(asked)).events.map(\.kind) == kinds.reversed())
                return kinds
            }
            #expect(try await found { $0.event = .userCreated } == [.userCreated, .userCreated])
            #expect(try await found { $0.event = .userErased } == [.userErased])
            #expect(try await found { $0.user = second } == [.userCreated, .sessionsRevoked])
            #expect(try await found { $0.actor = .operator("anna") } == [.sessionsRevoked, .userErased])
            #expect(try await found { $0.actor = .system } == [.userCreated, .userCreated])
            #expect(try await found { $0.actor = .user } == [])
            #expect(try await found { $0.since = later } == [.userCreated, .sessionsRevoked, .userErased])
            #expect(try await found { $0.until = later } == [.userCreated])
            #expect(
                try await found {
                    ($0.since, $0.until) = (later, later + 1)
                    $0.actor = .operator("anna")
                    $0.event = .sessionsRevoked
                    $0.user = second
                } == [.sessionsRevoked])
            #expect(try await found { ($0.since, $0.until) = (later + 1, later + 200_000) } == [])
        },
    ]

    private static let followerClauses = [
        RepositoryContract("who follows with pages of one sees every event that two instances write under load") {
            store, other in
            let (writers, each) = (4, 8)
            let writing = Writing()
            let (seen, followed) = try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<writers {
                    group.addTask {
                        for number in 0..<each {
                            let instance = number % 2 == 0 ? store : other
                            _ = try await instance.signedIn(Sample.signIn(Sample.subject("\(writer)-\(number)")))
                        }
                    }
                }
                async let byCursor = follow(other, writing) { .cursor($0) }
                async let byNumber = follow(store, writing) { .after($0.id) }
                for try await _ in group {}
                writing.isOver.store(true, ordering: .sequentiallyConsistent)
                return try await (byCursor, byNumber)
            }
            let all = try await store.auditEvents(after: 0, limit: .max).map(\.id)
            #expect(all.count == writers * each)
            #expect(seen == all)
            #expect(followed == all)
        }
    ]

    private final class Writing: Sendable {
        let isOver = Atomic(false)
    }

    /// Reads an event at a time until there is none and nothing more is written.
    private static func follow(
        _ store: any AccountRepository, _ writing: Writing,
        _ place: @Sendable (AuditCursor) -> AuditQuery.Place
    ) async throws -> [Int64] {
        var (seen, from): ([Int64], AuditQuery.Place) = ([], .start)
        let end = ContinuousClock.now + .seconds(300)
        while ContinuousClock.now < end {
            // Before it is read: what is written after that the next page has.
            let wasOver = writing.isOver.load(ordering: .sequentiallyConsistent)
            let page = try #require(try await store.auditPage(query(.oldestFirst, limit: 1, place: from)))
            guard let next = page.next else {
                if wasOver { return seen }
                continue
            }
            seen += page.events.map(\.id)
            from = place(next)
        }
        throw ContractViolation.endlessTrail
    }

    private static let repeatClauses = [
        RepositoryContract("the same thing again makes one row at once, and one with its count when the minute is over")
        {
            store, other in
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            let context = AuditContext(AuditOrigin(actor: .operator("anna"), request: "r"))
            func look(_ times: Int, at time: Int64) async throws {
                for time in Array(repeating: time, count: times) {
                    try await AuditContext.$current.withValue(context) {
                        try await store.note(.userViewed, of: user, [], now: time)
                        try await other.note(.userViewed, of: user, [], now: time)
                    }
                }
            }
            func rows() async throws -> [Int64?] {
                try await store.auditEvents(after: 0, limit: 100).filter { $0.kind == .userViewed }.map(\.count)
            }
            try await look(5, at: Sample.now)
            #expect(try await rows() == [nil])
            #expect(try await store.settleAudit(now: Sample.now + 59, limit: 10) == 0)
            #expect(try await store.settleAudit(now: Sample.now + 60, limit: 10) == 1)
            #expect(try await other.settleAudit(now: Sample.now + 60, limit: 10) == 0)
            #expect(try await rows() == [nil, 9])
            // It goes on, so that its next minute has a row at its end only.
            try await look(1, at: Sample.now + 70)
            #expect(try await rows() == [nil, 9])
            #expect(try await store.settleAudit(now: Sample.now + 121, limit: 10) == 1)
            #expect(try await rows() == [nil, 9, 2])
            #expect(try await store.settleAudit(now: Sample.now + 182, limit: 10) == 1)
            #expect(try await store.settleAudit(now: Sample.now + 300, limit: 10) == 0)
            // It is over, so that the next time is told at once.
            try await look(1, at: Sample.now + 301)
            #expect(try await rows() == [nil, 9, 2, nil])
            let summary = try #require(try await store.auditEvents(after: 0, limit: 100).first { $0.count == 9 })
            #expect(summary.origin == AuditOrigin(actor: .operator("anna")))
            #expect(summary.user == user)
        },
        RepositoryContract("what nobody has told of in time is told before the same thing happens again") { store in
            for time in [0, 1, 500, 501] as [Int64] {
                try await store.note(.usersSearched, of: nil, ["email"], now: Sample.now + time)
            }
            let rows = try await store.auditEvents(after: 0, limit: 100)
            #expect(rows.map(\.count) == [nil, 1, nil])
            #expect(rows.map(\.at) == [Sample.now, Sample.now + 500, Sample.now + 500])
        },
        RepositoryContract("another person, another operator, another reason or another session is not the same thing")
        {
            store in
            let users = [
                try await store.signedIn(Sample.signIn(Sample.subject("1"))).user,
                try await store.signedIn(Sample.signIn(Sample.subject("2"))).user,
            ]
            for origin in [
                AuditOrigin(actor: .operator("anna")), AuditOrigin(actor: .operator("ben")),
                AuditOrigin(actor: .operator("ben"), reason: "ticket 7"),
                AuditOrigin(actor: .operator("ben"), session: Sample.sessionID()),
            ] {
                for user in users {
                    try await AuditContext.$current.withValue(AuditContext(origin)) {
                        try await store.note(.userViewed, of: user, [], now: Sample.now)
                    }
                }
            }
            #expect(try await store.auditTrail().count { $0 == .userViewed } == 8)
        },
        RepositoryContract("a refresh token that is presented again and again makes few rows") { store in
            let session = Sample.session()
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            _ = try await store.refresh(Sample.refresh(session.id, 1, of: user))
            for _ in 0..<30 { _ = try await store.refresh(Sample.refresh(session.id, 1, of: user)) }
            _ = try await store.settleAudit(now: Sample.now + 60, limit: 10)
            let rows = try await store.auditEvents(after: 0, limit: 100).filter { $0.kind == .refreshAnswerRepeated }
            #expect(rows.map(\.count) == [nil, 29])
            #expect(rows.allSatisfy { $0.origin?.session == session.id && $0.origin?.app == session.client })
        },
    ]

    private static let retentionClauses = [
        RepositoryContract("events go when their time is over, in steps, and a cursor behind one stays good") { store in
            for value in 0..<6 {
                let time = Sample.now + Int64(value) * 100
                _ = try await store.signedIn(Sample.signIn(Sample.subject("\(value)"), now: time))
            }
            let all = try await store.auditEvents(after: 0, limit: 100).map(\.id)
            let read = try #require(try await store.auditPage(query(.oldestFirst, limit: 2)))
            #expect(read.events.map(\.id) == Array(all.prefix(2)))
            var steps: [Int] = []
            steps = try await untilNothingIsLeft {
                try await store.removeAuditEvents(before: Sample.now + 300, limit: 2)
            }
            #expect(steps.prefix(2) == [2, 1])
            let next = try #require(read.next)
            for place in [AuditQuery.Place.cursor(next), .after(next.id)] {
                let page = try #require(try await store.auditPage(query(.oldestFirst, place: place)))
                #expect(page.events.map(\.id) == Array(all.suffix(3)))
            }
        }
    ]
}
