import Accounts
import Testing

@testable import AccountsPostgres

@Suite struct `Which database has everything` {
    private static let system: Int64 = 7

    private static func position(
        epoch: Int64 = 0, beat: Int64 = 100, record: Int64 = 5, timeline: Int64 = 1, end: Int64 = 1000,
        recovered: Int64? = nil, startedAt: Int64 = 1, system: Int64 = system, fork: Int64? = nil
    ) -> ServerPosition {
        ServerPosition(
            epoch: epoch, beat: beat, record: record,
            log: ServerPosition.Log(
                system: system, timeline: timeline, end: end, recovered: recovered, startedAt: startedAt),
            noted: fork.map { (system, timeline, $0) } ?? (system, 1, 0))
    }

    private static func mark(
        epoch: Int64 = 0, beat: Int64 = 100, record: Int64 = 5, ends: [(timeline: Int64, end: Int64)] = [(1, 900)]
    ) -> StoreMark {
        StoreMark(
            epoch: epoch, beat: beat, record: record,
            ends: ends.map { StoreMark.End(system: system, timeline: $0.timeline, end: $0.end) })
    }

    private static func commit(_ transaction: Int64, at position: Int64) -> FenceDecision.Commit {
        FenceDecision.Commit(timeline: 1, transaction: transaction, position: position)
    }

    private func verdict(
        on found: ServerPosition, known: ServerPosition? = position(), mark: StoreMark? = mark(),
        commits: [FenceDecision.Commit] = []
    ) -> FenceDecision.Verdict {
        FenceDecision(known: known, mark: mark, commits: commits).verdict(on: found)
    }

    @Test func `is the one that it was`() {
        #expect(verdict(on: Self.position(beat: 101, end: 2000)) == .same)
    }

    @Test func `is any for who has seen none`() {
        #expect(verdict(on: Self.position(), known: nil, mark: nil) == .goesOn(ifCommitted: []))
    }

    @Test func `is a standby that was promoted with all of the log, and has the last commits`() {
        let promoted = Self.position(timeline: 2, end: 1200, recovered: 1000, startedAt: 2)
        #expect(
            verdict(on: promoted, commits: [Self.commit(41, at: 950), Self.commit(42, at: 999)])
                == .goesOn(ifCommitted: [41, 42]))
    }

    @Test func `is not a standby that was promoted before the end of what was acknowledged`() {
        let promoted = Self.position(timeline: 2, end: 5000, recovered: 800, startedAt: 2)
        #expect(verdict(on: promoted) == .behind(.log(timeline: 2, reached: 800, acknowledged: 900, on: 1)))
    }

    @Test func `is not one that lacks a commit of the last second`() {
        let promoted = Self.position(timeline: 2, end: 5000, recovered: 950, startedAt: 2)
        #expect(
            verdict(on: promoted, commits: [Self.commit(42, at: 960)])
                == .behind(.log(timeline: 2, reached: 950, acknowledged: 960, on: 1)))
    }

    @Test func `is not the server of a timeline that another has gone on from`() {
        #expect(
            verdict(on: Self.position(), mark: Self.mark(ends: [(1, 900), (2, 1300)]))
                == .behind(.timeline(found: 1, acknowledged: 2)))
    }

    @Test func `is not a copy of its files as of an earlier time, however long that has gone on`() {
        let copy = Self.position(end: 4000, recovered: 700, startedAt: 3)
        #expect(
            verdict(on: copy, commits: [Self.commit(42, at: 960)])
                == .behind(.log(timeline: 1, reached: 700, acknowledged: 960, on: 1)))
    }

    @Test func `is one that has recovered from a crash, if it has the last commits`() {
        let recovered = Self.position(end: 1100, recovered: 1000, startedAt: 3)
        #expect(verdict(on: recovered, commits: [Self.commit(42, at: 960)]) == .goesOn(ifCommitted: [42]))
    }

    @Test func `is not one whose count or ledger is behind`() {
        #expect(verdict(on: Self.position(beat: 99), known: nil) == .behind(.beat(found: 99, acknowledged: 100)))
        #expect(verdict(on: Self.position(record: 4), known: nil) == .behind(.record(found: 4, acknowledged: 5)))
    }

    @Test func `is not told of a server that was started again, and has noted nowhere what it left`() {
        let found = Self.position(timeline: 3, end: 4000, startedAt: 9)
        #expect(verdict(on: found) == .behind(.unproven(timeline: 3, acknowledged: 1)))
    }

    @Test func `is told of a server that was started again, by what it has noted`() {
        let found = Self.position(timeline: 3, end: 4000, startedAt: 9, fork: 950)
        #expect(verdict(on: found) == .goesOn(ifCommitted: []))
    }

    @Test func `is the one of the newest epoch, whatever it lacks`() {
        #expect(verdict(on: Self.position(epoch: 1, beat: 3, timeline: 2, end: 10)) == .newEpoch)
        // Also for who has heard of the epoch by the ledger, and met the server before it.
        #expect(
            verdict(
                on: Self.position(epoch: 1, beat: 3, timeline: 2, end: 2000, recovered: 800),
                mark: Self.mark(epoch: 1, beat: 0, record: 0, ends: []), commits: [Self.commit(42, at: 960)])
                == .newEpoch)
        #expect(
            verdict(on: Self.position(), mark: Self.mark(epoch: 1)) == .behind(.epoch(found: 0, acknowledged: 1)))
    }

    @Test func `is another cluster that everything was moved to`() {
        let moved = Self.position(beat: 100, timeline: 1, end: 10, system: 8)
        #expect(verdict(on: moved, known: nil) == .goesOn(ifCommitted: []))
    }

    @Test func `is told by the count alone where the engine hides its log`() {
        var found = Self.position(beat: 100)
        found.log = nil
        #expect(verdict(on: found, known: nil, mark: Self.mark(ends: [])) == .goesOn(ifCommitted: []))
        found.beat = 98
        #expect(verdict(on: found, known: nil) == .behind(.beat(found: 98, acknowledged: 100)))
    }

    @Test func `is remembered by a line of text, and by the furthest of two`() throws {
        let mark = Self.mark(ends: [(1, 900), (2, 1300)])
        #expect(StoreMark(text: mark.text) == mark)
        #expect(StoreMark(text: "2 0 0 0") == nil)
        #expect(StoreMark(text: "1 0 0 0 1:2") == nil)
        let other = Self.mark(beat: 101, record: 4, ends: [(2, 1400), (3, 1500)])
        #expect(mark.merged(with: other) == Self.mark(beat: 101, ends: [(1, 900), (2, 1400), (3, 1500)]))
        #expect(mark.merged(with: Self.mark(epoch: 1, beat: 0)) == Self.mark(epoch: 1, beat: 0))
    }

    @Test func `says what was found beside what was acknowledged`() {
        let lacking = StoreRegression.log(timeline: 2, reached: 0x1_0000_00A0, acknowledged: 0x1_0000_0FF0, on: 1)
        #expect(
            lacking.description
                == "timeline 2 has left the one before at 1/A0, and 1/FF0 of timeline 1 was acknowledged")
    }
}
