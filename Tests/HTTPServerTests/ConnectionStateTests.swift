import EventLoop
import Testing

@testable import HTTPServer

@Suite struct `The state of a connection` {
    @Test(arguments: ConnectionTable.rows, ConnectionState.Phase.allCases)
    func `says in every phase what is to be done about every event`(
        _ row: ConnectionTable.Row, _ phase: ConnectionState.Phase
    ) throws {
        let cells = row.cells.filter { $0.phases.contains(phase) }
        try #require(cells.count == 1, "\(row) says \(cells.count) times what \(phase) does")
        let before = row.given.state(phase)
        var state = before
        let actions = state.handle(row.event)
        #expect(actions == cells[0].actions)
        #expect(state.phase == cells[0].next ?? phase)
        #expect(state.interest == actions.interest ?? before.interest)
    }

    @Test func `the state of a connection has been asked about every event`() {
        #expect(Set(ConnectionTable.rows.map { $0.event.kind }) == Set(ConnectionEvent.Kind.allCases))
    }

    @Test(arguments: ConnectionTable.rows) func `the state of a connection does nothing any more once it is closed`(
        _ row: ConnectionTable.Row
    ) {
        var state = row.given.state(.closed)
        #expect(state.handle(row.event) == ConnectionActions())
        #expect(state.phase == .closed)
    }

    @Test(arguments: [false, true], [false, true])
    func `ends with an answer when the client, the handler or the server wants that`(_ keepsAlive: Bool, closes: Bool) {
        for (isLeaving, hasMore) in [(false, false), (false, true), (true, false), (true, true)] {
            var state = ConnectionState()
            _ = state.handle(.requestComplete(keepsAlive: keepsAlive))
            let ready = ConnectionEvent.answerReady(closes: closes, isLeaving: isLeaving, hasMore: hasMore)
            #expect(state.handle(ready) == ConnectionActions(step: .send))
            // What a client has sent already is answered before the server leaves.
            #expect(state.closesAfterAnswer == (!keepsAlive || closes || isLeaving && !hasMore))
        }
    }

    private func play(_ state: inout ConnectionState, _ events: ConnectionEvent...) -> [ConnectionActions.Step] {
        events.map { state.handle($0).step }
    }

    @Test func `goes through a conversation of two requests that arrive together`() {
        var state = ConnectionState()
        let first = play(
            &state, .opened(isStopping: false), .bytesRead, .requestComplete(keepsAlive: true),
            .answerReady(closes: false, isLeaving: false, hasMore: true), .answerTaken)
        #expect(first == [.read, .parse, .handOver, .send, .parse])
        let second = play(
            &state, .requestComplete(keepsAlive: true),
            .answerReady(closes: false, isLeaving: false, hasMore: false), .answerTakenInPart, .writable, .answerTaken)
        #expect(second == [.handOver, .send, .none, .sendMore, .parse])
        #expect(state.phase == .starting && state.hasAsked && !state.closesAfterAnswer)
        #expect(state.handle(.requestIncomplete(.idle, awaitsContinue: false)).deadline == .idle)
    }

    @Test func `answers who has closed the sending side, and closes when nothing more can come`() {
        var state = ConnectionState()
        let steps = play(
            &state, .opened(isStopping: false), .bytesRead, .requestComplete(keepsAlive: true), .inputEnded,
            .answerReady(closes: false, isLeaving: false, hasMore: true), .answerTaken,
            .requestIncomplete(.head, awaitsContinue: false))
        #expect(steps == [.read, .parse, .handOver, .none, .send, .parse, .close])
    }

    @Test func `reads again, what it had stopped, when it waits for the rest of a request`() {
        var state = ConnectionState()
        _ = play(&state, .opened(isStopping: false), .bytesRead, .requestComplete(keepsAlive: true))
        #expect(state.handle(.readable(isFull: true)).interest == [])
        _ = play(&state, .answerReady(closes: false, isLeaving: false, hasMore: true), .answerTaken)
        #expect(state.interest == [])
        #expect(state.handle(.requestIncomplete(.head, awaitsContinue: false)).interest == .readable)
    }

    @Test
    func
        `the state of a connection of a client that has just connected waits for its first request when the server stops, and no longer`()
    {
        var fresh = ConnectionState()
        _ = play(&fresh, .opened(isStopping: false), .nothingRead)
        #expect(fresh.handle(.stopped(givesTime: true)).deadline == .firstRequest)
        #expect(play(&fresh, .deadlinePassed) == [.close])
        var old = ConnectionState()
        _ = play(
            &old, .opened(isStopping: false), .bytesRead, .requestComplete(keepsAlive: true),
            .answerReady(closes: false, isLeaving: false, hasMore: false), .answerTaken,
            .requestIncomplete(.idle, awaitsContinue: false))
        #expect(play(&old, .stopped(givesTime: true)) == [.close])
    }
}
