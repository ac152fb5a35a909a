internal import EventLoop

/// What one connection is about, as a machine that is told what has happened and says what to do about it.
///
/// It has no socket, no clock and no task; ``HTTPConnection`` has them, and does as it is told. So every state can meet
/// every event in a test.
struct ConnectionState: Equatable, Sendable {
    typealias Actions = ConnectionActions

    enum Phase: CaseIterable, Sendable {
        /// It is new, or has just sent an answer: whether there is a request already is about to be seen.
        case starting
        /// Nothing of a request has come.
        case idle
        /// A part of a request's head has come.
        case head
        /// A request's head has come, and its body not yet.
        case body
        /// An answer is being made.
        case answering
        /// A part of the answer has still to be taken by the client.
        case sending
        /// The last answer is sent; the client is given time to read it.
        case lingering
        case closed

        /// Whether a request, or the rest of one, is what comes next.
        var isReceiving: Bool { self == .starting || self == .idle || self == .head || self == .body }
    }

    private(set) var phase = Phase.starting
    /// What the loop waits for.
    private(set) var interest: Readiness = []
    /// Whether the connection ends with the present answer.
    private(set) var closesAfterAnswer = false
    /// Whether the client has closed its sending side.
    private(set) var inputHasEnded = false
    /// Whether a request has come, so that the next one is the client's free choice.
    private(set) var hasAsked = false
    /// Whether the server is on its way out.
    private(set) var isStopping = false

    mutating func handle(_ event: ConnectionEvent) -> Actions {
        switch event {
        case .opened(let isStopping): opened(isStopping)
        case .readable(let isFull): readable(isFull)
        case .writable: phase == .sending ? Actions(step: .sendMore) : Actions()
        case .bytesRead: bytesRead()
        case .nothingRead: phase == .starting ? receive(.idle) : Actions()
        case .inputEnded: inputEnded()
        case .requestComplete(let keepsAlive): requestComplete(keepsAlive)
        case .requestIncomplete(let stage, let awaitsContinue): requestIncomplete(stage, awaitsContinue)
        case .requestViolated: refuse(.violation)
        case .turnedAway: refuse(.tooMany)
        case .answerReady(let closes, let isLeaving, let hasMore): answerReady(closes || isLeaving && !hasMore)
        case .answerTaken: answerTaken()
        case .answerTakenInPart: answerTakenInPart()
        case .deadlinePassed: deadlinePassed()
        case .stopped(let givesTime): stopped(givesTime)
        case .failed, .dismissed: close()
        }
    }
}

// MARK: Receiving

extension ConnectionState {
    private mutating func opened(_ isStopping: Bool) -> Actions {
        guard phase.isReceiving else { return Actions() }
        if isStopping { self.isStopping = true }
        // Over loopback and after an accept that came late, the request is often there already.
        return Actions(isStart: true, interest: wait(for: .readable), step: .read)
    }

    private mutating func readable(_ isFull: Bool) -> Actions {
        switch phase {
        case .starting, .idle, .head, .body: Actions(step: .read)
        // The next request waits in the system's buffer, and then at the client.
        case .answering, .sending:
            isFull ? Actions(interest: wait(for: interest.subtracting(.readable))) : Actions(step: .read)
        // What a client still sends after its last answer is of no use.
        case .lingering: Actions(step: .discard)
        case .closed: Actions()
        }
    }

    private func bytesRead() -> Actions {
        switch phase {
        case .starting, .idle: Actions(isStart: true, step: .parse)
        case .head, .body: Actions(step: .parse)
        case .answering, .sending, .lingering, .closed: Actions()
        }
    }

    private mutating func inputEnded() -> Actions {
        guard phase == .answering || phase == .sending else { return close() }
        // A client that has closed its sending side still gets its answers.
        inputHasEnded = true
        return Actions(interest: wait(for: interest.subtracting(.readable)))
    }

    private mutating func requestIncomplete(_ stage: RequestParser.Stage, _ awaitsContinue: Bool) -> Actions {
        guard phase.isReceiving else { return Actions() }
        if inputHasEnded { return close() }
        var actions = receive(stage)
        if awaitsContinue { actions.step = .sendContinue }
        return actions
    }

    /// Waits for bytes, with the deadline of the part of the request that is due.
    private mutating func receive(_ stage: RequestParser.Stage) -> Actions {
        var actions = Actions(interest: wait(for: .readable))
        let earlier = phase
        switch stage {
        case .idle where earlier != .idle:
            phase = .idle
            actions.isIdle = true
            actions.deadline = isStopping ? .firstRequest : .idle
        case .head where earlier != .head: (phase, actions.deadline) = (.head, .head)
        case .body where earlier != .body: (phase, actions.deadline) = (.body, .body)
        case .idle, .head, .body: break
        }
        if earlier == .idle, phase != .idle { actions.isIdle = false }
        return actions
    }

    private mutating func requestComplete(_ keepsAlive: Bool) -> Actions {
        guard phase.isReceiving else { return Actions() }
        hasAsked = true
        closesAfterAnswer = !keepsAlive
        return beginAnswer(.handOver)
    }

    /// Nobody can tell where the next request would begin, or wants it: the connection ends with this answer.
    private mutating func refuse(_ refusal: Actions.Refusal) -> Actions {
        guard phase.isReceiving else { return Actions() }
        closesAfterAnswer = true
        return beginAnswer(.refuse(refusal))
    }

    private mutating func beginAnswer(_ step: Actions.Step) -> Actions {
        let isIdle: Bool? = phase == .idle ? false : nil
        phase = .answering
        return Actions(isIdle: isIdle, step: step)
    }

    /// - Returns: what to tell the loop, when that is something new.
    private mutating func wait(for interest: Readiness) -> Readiness? {
        if interest == self.interest { return nil }
        self.interest = interest
        return interest
    }
}

// MARK: Answering and the end

extension ConnectionState {
    private mutating func answerReady(_ closes: Bool) -> Actions {
        // The connection may have ended while the handler was at work.
        guard phase == .answering else { return Actions() }
        if closes { closesAfterAnswer = true }
        return Actions(step: .send)
    }

    private mutating func answerTakenInPart() -> Actions {
        guard phase == .answering else { return Actions() }
        phase = .sending
        return Actions(interest: wait(for: interest.union(.writable)), deadline: .write)
    }

    private mutating func answerTaken() -> Actions {
        guard phase == .answering || phase == .sending else { return Actions() }
        guard closesAfterAnswer else {
            phase = .starting
            return Actions(isStart: true, interest: wait(for: interest.subtracting(.writable)), step: .parse)
        }
        if inputHasEnded { return close() }
        // What the client has sent and nobody read would make the system reset the connection, and the answer would be
        // lost (RFC 9112 §9.6).
        phase = .lingering
        return Actions(interest: wait(for: .readable), deadline: .linger, step: .shutdownSending)
    }

    private mutating func deadlinePassed() -> Actions {
        switch phase {
        case .head, .body: refuse(.tooLate)
        case .idle, .sending, .lingering: close()
        case .starting, .answering, .closed: Actions()
        }
    }

    /// Lets a client that waits for nothing go. One that has just connected is given time for its first request.
    private mutating func stopped(_ givesTime: Bool) -> Actions {
        isStopping = true
        guard phase == .idle else { return Actions() }
        return hasAsked || !givesTime ? close() : Actions(deadline: .firstRequest)
    }

    private mutating func close() -> Actions {
        guard phase != .closed else { return Actions() }
        phase = .closed
        return Actions(step: .close)
    }
}
