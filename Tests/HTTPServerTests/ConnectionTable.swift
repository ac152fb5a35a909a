import EventLoop
import Testing

@testable import HTTPServer

/// What a connection is to do, for every phase and every event.
enum ConnectionTable {
    /// What else is true of a connection.
    enum Given: Sendable {
        case nothing, inputHasEnded, lastAnswer, lastAnswerAndInputHasEnded, hasAsked, isStopping

        func state(_ phase: ConnectionState.Phase) -> ConnectionState {
            let interest: Readiness =
                switch phase {
                case .starting, .closed: []
                case .idle, .head, .body, .answering, .lingering: .readable
                case .sending: [.readable, .writable]
                }
            return ConnectionState(
                phase: phase, interest: interest,
                closesAfterAnswer: self == .lastAnswer || self == .lastAnswerAndInputHasEnded,
                inputHasEnded: self == .inputHasEnded || self == .lastAnswerAndInputHasEnded,
                hasAsked: self == .hasAsked, isStopping: self == .isStopping)
        }
    }

    /// What some phases do about an event.
    struct Cell: Sendable {
        let phases: [ConnectionState.Phase]
        /// nil: the same as before.
        let next: ConnectionState.Phase?
        let actions: ConnectionActions
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let event: ConnectionEvent
        let given: Given
        let cells: [Cell]

        var testDescription: String { given == .nothing ? "\(event)" : "\(event), \(given)" }
    }

    private static func row(_ event: ConnectionEvent, _ given: Given = .nothing, _ cells: Cell...) -> Row {
        Row(event: event, given: given, cells: cells)
    }

    private static func at(
        _ phases: ConnectionState.Phase..., become next: ConnectionState.Phase? = nil,
        do actions: ConnectionActions = ConnectionActions()
    ) -> Cell { Cell(phases: phases, next: next, actions: actions) }

    private static let close = ConnectionActions(step: .close)

    static let rows = opening + reading + parsing + refusing + answering + ending

    private static let opening: [Row] = [false, true].map { isStopping in
        row(
            .opened(isStopping: isStopping), .nothing,
            at(.starting, do: .init(isStart: true, interest: .readable, step: .read)),
            at(.idle, .head, .body, do: .init(isStart: true, step: .read)),
            at(.answering, .sending, .lingering, .closed))
    }

    private static let reading = [
        row(
            .readable(isFull: false), .nothing,
            at(.starting, .idle, .head, .body, .answering, .sending, do: .init(step: .read)),
            at(.lingering, do: .init(step: .discard)), at(.closed)),
        row(
            .readable(isFull: true), .nothing,
            at(.starting, .idle, .head, .body, do: .init(step: .read)),
            at(.answering, do: .init(interest: [])), at(.sending, do: .init(interest: .writable)),
            at(.lingering, do: .init(step: .discard)), at(.closed)),
        row(
            .bytesRead, .nothing,
            at(.starting, .idle, do: .init(isStart: true, step: .parse)), at(.head, .body, do: .init(step: .parse)),
            at(.answering, .sending, .lingering, .closed)),
        row(
            .nothingRead, .nothing,
            at(.starting, become: .idle, do: .init(interest: .readable, isIdle: true, deadline: .idle)),
            at(.idle, .head, .body, .answering, .sending, .lingering, .closed)),
        row(
            .nothingRead, .isStopping,
            at(.starting, become: .idle, do: .init(interest: .readable, isIdle: true, deadline: .firstRequest)),
            at(.idle, .head, .body, .answering, .sending, .lingering, .closed)),
        row(
            .inputEnded, .nothing,
            at(.starting, .idle, .head, .body, .lingering, become: .closed, do: close),
            at(.answering, do: .init(interest: [])), at(.sending, do: .init(interest: .writable)), at(.closed)),
    ]

    private static let parsing = [
        complete(keepsAlive: true), complete(keepsAlive: false),
        row(
            .requestIncomplete(.idle, awaitsContinue: false), .nothing,
            at(.starting, become: .idle, do: .init(interest: .readable, isIdle: true, deadline: .idle)),
            at(.head, .body, become: .idle, do: .init(isIdle: true, deadline: .idle)),
            at(.idle, .answering, .sending, .lingering, .closed)),
        row(
            .requestIncomplete(.idle, awaitsContinue: false), .isStopping,
            at(.starting, become: .idle, do: .init(interest: .readable, isIdle: true, deadline: .firstRequest)),
            at(.head, .body, become: .idle, do: .init(isIdle: true, deadline: .firstRequest)),
            at(.idle, .answering, .sending, .lingering, .closed)),
        row(
            .requestIncomplete(.head, awaitsContinue: false), .nothing,
            at(.starting, become: .head, do: .init(interest: .readable, deadline: .head)),
            at(.idle, become: .head, do: .init(isIdle: false, deadline: .head)),
            at(.body, become: .head, do: .init(deadline: .head)),
            at(.head, .answering, .sending, .lingering, .closed)),
        row(
            .requestIncomplete(.body, awaitsContinue: false), .nothing,
            at(.starting, become: .body, do: .init(interest: .readable, deadline: .body)),
            at(.idle, become: .body, do: .init(isIdle: false, deadline: .body)),
            at(.head, become: .body, do: .init(deadline: .body)),
            at(.body, .answering, .sending, .lingering, .closed)),
        row(
            .requestIncomplete(.body, awaitsContinue: true), .nothing,
            at(.starting, become: .body, do: .init(interest: .readable, deadline: .body, step: .sendContinue)),
            at(.idle, become: .body, do: .init(isIdle: false, deadline: .body, step: .sendContinue)),
            at(.head, become: .body, do: .init(deadline: .body, step: .sendContinue)),
            at(.body, do: .init(step: .sendContinue)), at(.answering, .sending, .lingering, .closed)),
        row(
            .requestIncomplete(.head, awaitsContinue: false), .inputHasEnded,
            at(.starting, .idle, .head, .body, become: .closed, do: close),
            at(.answering, .sending, .lingering, .closed)),
    ]

    private static func complete(keepsAlive: Bool) -> Row {
        row(
            .requestComplete(keepsAlive: keepsAlive), .nothing,
            at(.starting, .head, .body, become: .answering, do: .init(step: .handOver)),
            at(.idle, become: .answering, do: .init(isIdle: false, step: .handOver)),
            at(.answering, .sending, .lingering, .closed))
    }

    private static let refusing = [
        refusal(.requestViolated, .violation), refusal(.turnedAway, .tooMany),
        row(
            .deadlinePassed, .nothing,
            at(.head, .body, become: .answering, do: .init(step: .refuse(.tooLate))),
            at(.idle, .sending, .lingering, become: .closed, do: close), at(.starting, .answering, .closed)),
    ]

    private static func refusal(_ event: ConnectionEvent, _ refusal: ConnectionActions.Refusal) -> Row {
        row(
            event, .nothing,
            at(.starting, .head, .body, become: .answering, do: .init(step: .refuse(refusal))),
            at(.idle, become: .answering, do: .init(isIdle: false, step: .refuse(refusal))),
            at(.answering, .sending, .lingering, .closed))
    }

    private static let answering = [
        row(
            .answerReady(closes: false, isLeaving: false, hasMore: false), .nothing,
            at(.answering, do: .init(step: .send)),
            at(.starting, .idle, .head, .body, .sending, .lingering, .closed)),
        row(
            .answerTaken, .nothing,
            at(.answering, become: .starting, do: .init(isStart: true, step: .parse)),
            at(.sending, become: .starting, do: .init(isStart: true, interest: .readable, step: .parse)),
            at(.starting, .idle, .head, .body, .lingering, .closed)),
        row(
            .answerTaken, .lastAnswer,
            at(.answering, become: .lingering, do: .init(deadline: .linger, step: .shutdownSending)),
            at(.sending, become: .lingering, do: .init(interest: .readable, deadline: .linger, step: .shutdownSending)),
            at(.starting, .idle, .head, .body, .lingering, .closed)),
        row(
            .answerTaken, .lastAnswerAndInputHasEnded,
            at(.answering, .sending, become: .closed, do: close),
            at(.starting, .idle, .head, .body, .lingering, .closed)),
        row(
            .answerTakenInPart, .nothing,
            at(.answering, become: .sending, do: .init(interest: [.readable, .writable], deadline: .write)),
            at(.starting, .idle, .head, .body, .sending, .lingering, .closed)),
        row(
            .writable, .nothing,
            at(.sending, do: .init(step: .sendMore)),
            at(.starting, .idle, .head, .body, .answering, .lingering, .closed)),
    ]

    private static let ending = [
        always(.failed), always(.dismissed),
        row(
            .stopped(givesTime: true), .nothing,
            at(.idle, do: .init(deadline: .firstRequest)),
            at(.starting, .head, .body, .answering, .sending, .lingering, .closed)),
        row(
            .stopped(givesTime: true), .hasAsked,
            at(.idle, become: .closed, do: close),
            at(.starting, .head, .body, .answering, .sending, .lingering, .closed)),
        row(
            .stopped(givesTime: false), .nothing,
            at(.idle, become: .closed, do: close),
            at(.starting, .head, .body, .answering, .sending, .lingering, .closed)),
    ]

    private static func always(_ event: ConnectionEvent) -> Row {
        row(
            event, .nothing,
            at(.starting, .idle, .head, .body, .answering, .sending, .lingering, become: .closed, do: close),
            at(.closed))
    }
}

extension ConnectionEvent {
    /// The events without what they carry. A new event does not compile without a kind, and a kind does not pass
    /// without a row.
    enum Kind: CaseIterable {
        case opened, readable, writable, bytesRead, nothingRead, inputEnded, requestComplete, requestIncomplete
        case requestViolated, turnedAway, answerReady, answerTaken, answerTakenInPart, failed, deadlinePassed, stopped
        case dismissed
    }

    var kind: Kind {
        switch self {
        case .opened: .opened
        case .readable: .readable
        case .writable: .writable
        case .bytesRead: .bytesRead
        case .nothingRead: .nothingRead
        case .inputEnded: .inputEnded
        case .requestComplete: .requestComplete
        case .requestIncomplete: .requestIncomplete
        case .requestViolated: .requestViolated
        case .turnedAway: .turnedAway
        case .answerReady: .answerReady
        case .answerTaken: .answerTaken
        case .answerTakenInPart: .answerTakenInPart
        case .failed: .failed
        case .deadlinePassed: .deadlinePassed
        case .stopped: .stopped
        case .dismissed: .dismissed
        }
    }
}
