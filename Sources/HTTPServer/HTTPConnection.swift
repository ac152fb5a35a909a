import EventLoop
import System

/// One client's connection: its socket, parser, timer and the task that answers, which do what ``ConnectionState``
/// says.
///
/// A client that has closed its sending side still gets its answers; one that has gone altogether, or whose connection
/// has failed, has its request's task cancelled.
actor HTTPConnection: LoopBound, ReadinessHandler {
    nonisolated let loop: EventLoop
    nonisolated let listener: LoopListener
    nonisolated let peer: SocketAddress
    /// The descriptor's number, by which the listener knows the connection.
    nonisolated let number: Int32
    /// What it was let in as; the budget is told again when it closes.
    nonisolated let admission: ConnectionBudget.Admission
    private var stream: ClientStream?
    /// Whether it is under TLS: a plain connection is asked for nothing of that.
    private let isSecure: Bool
    private var state = ConnectionState()
    private var parser = RequestParser()
    /// When the first byte of the present request was read; before that, when the connection began to wait for it.
    private var startedAt = MonotonicTime(nanoseconds: 0)
    private var answering: Task<Void, Never>?
    private var unsent = UnsentAnswer()
    /// Hears of the last answer, until the client shows that it goes on.
    private var watcher: (any DeliveryWatcher)?
    /// It hears of a loss behind what it heard before: what counts is how it ended.
    private var telling: Task<Void, Never>?
    private var isRegistered = false
    private var timer: LoopTimer?

    init(
        _ stream: consuming ClientStream, peer: SocketAddress, admission: ConnectionBudget.Admission,
        listener: LoopListener
    ) {
        self.loop = listener.loop
        (self.listener, self.peer, self.admission) = (listener, peer, admission)
        (number, isSecure) = (stream.number, stream.isSecure)
        self.stream = consume stream
    }

    // MARK: What happens

    /// Begins to read.
    func open() {
        stream?.disableNagle()
        tell(.opened(isStopping: listener.resources.withValue { $0.isDraining }))
    }

    /// Says that there are too many, and closes.
    func turnAway() { tell(.turnedAway) }

    /// Closes once nothing is under way.
    func drain() {
        // What has arrived already is answered still.
        if state.phase.isReceiving { tell(.readable(isFull: false)) }
        tell(.stopped(givesTime: listener.limits.firstRequest > 0))
    }

    /// Closes at once.
    func close() { tell(.dismissed) }

    nonisolated func descriptorIsReady(_ readiness: Readiness) {
        assumeOnLoop(readiness) { $0.isReady($1) }
    }

    private func isReady(_ readiness: Readiness) {
        if !readiness.isDisjoint(with: [.failed, .hangup]) {
            // A connection that both sides have closed in good order hangs up as well, and has lost nothing.
            if readiness.contains(.failed) { noteLoss() }
            return tell(.failed)
        }
        if readiness.contains(.writable) { tell(.writable) }
        if readiness.contains(.readable) {
            tell(.readable(isFull: parser.bufferedBytes >= listener.limits.pipelinedBytes))
        }
    }

    // MARK: What is done about it

    /// Tells the state what has happened, does as it says, and tells it what came of that, for as long as something
    /// does.
    ///
    /// - Parameter now: the present instant, for who knows it.
    private func tell(_ event: ConnectionEvent, at now: MonotonicTime? = nil) {
        var next = perform(prepare(state.handle(event), at: now))
        while let event = next { next = perform(prepare(state.handle(event))) }
    }

    /// Does what comes before the step.
    private func prepare(_ actions: ConnectionActions, at now: MonotonicTime? = nil) -> ConnectionActions.Step {
        if actions.isStart { startedAt = now ?? .now }
        if let interest = actions.interest, !wait(for: interest) { return state.handle(.failed).step }
        if let isIdle = actions.isIdle {
            let number = number
            listener.resources.withValue { isIdle ? $0.idle.enter(number) : $0.idle.leave(number) }
        }
        if let deadline = actions.deadline { set(deadline, at: now) }
        return actions.step
    }

    /// - Returns: what came of it.
    private func perform(_ step: ConnectionActions.Step) -> ConnectionEvent? {
        switch step {
        // The caller has the request, the violation or the answer at hand, and goes on with it.
        case .none, .handOver, .refuse(.violation), .send: break
        case .read: return read(isOfUse: true)
        case .discard: return read(isOfUse: false)
        case .parse: return parse()
        case .sendContinue: return sendContinue()
        case .refuse(.tooLate): refuse(.requestTimeout)
        case .refuse(.tooMany): refuse(.overloaded)
        case .sendMore: return sendMore()
        case .shutdownSending: stream?.shutdownSending()
        case .close: letGo()
        }
        return nil
    }

    /// - Returns: false when the system refused.
    private func wait(for interest: Readiness) -> Bool {
        do throws(SystemError) {
            if isRegistered {
                try loop.update(number, for: interest)
            } else {
                try loop.register(number, for: interest, handler: self)
                isRegistered = true
            }
            return true
        } catch {
            return false
        }
    }

    private func set(_ deadline: ConnectionActions.Deadline, at now: MonotonicTime?) {
        let timeout = deadline.time(in: listener.limits)
        guard timeout > 0 else {
            timer?.move(to: nil)
            return
        }
        let start = deadline.isFromStart ? startedAt : now ?? .now
        let timer = self.timer ?? loop.timer { self.assumeIsolated { $0.tell(.deadlinePassed) } }
        self.timer = timer
        timer.move(to: start.advanced(byNanoseconds: timeout))
    }

    private func letGo() {
        // What is left of an answer is sent no more.
        if !unsent.isEmpty { noteLoss() }
        watcher = nil
        answering?.cancel()
        answering = nil
        timer?.cancel()
        timer = nil
        if isRegistered { loop.deregister(number) }
        listener.assumeIsolated { $0.forget(self) }
        stream = nil
        parser = RequestParser()
        unsent = UnsentAnswer()
    }

    // MARK: Reading

    /// Reads once into the loop's buffer, and from there into the parser.
    private func read(isOfUse: Bool) -> ConnectionEvent {
        if isSecure, goAway() { return .bytesRead }
        return listener.resources.withValue { resources in
            // A connection that was reset, like one that has no socket any more, has said its last.
            let received: StreamSocket.Received
            do throws(SystemError) {
                received = try stream?.receive(overwriting: &resources.receiveBuffer) ?? .endOfStream
            } catch {
                noteLoss()
                received = .endOfStream
            }
            switch received {
            case .bytes(let count):
                watcher = nil
                if isOfUse { parser.append(resources.receiveBuffer[..<count]) }
                if isSecure { readRest(into: &resources.receiveBuffer, isOfUse: isOfUse) }
                return .bytesRead
            // A handshake is a part of the first request's head, and has no more time than that.
            case .wouldBlock: return isHandshaking ? .bytesRead : .nothingRead
            case .endOfStream: return .inputEnded
            }
        }
    }

    /// - Returns: whether a slow handshake goes on off the loop. What comes meanwhile is not announced.
    private func goAway() -> Bool {
        guard isHandshaking, stream?.goAway({ Task { await self.comeBack() } }) ?? false else { return false }
        try? loop.update(number, for: [])
        return true
    }

    private func comeBack() {
        // It may have been closed meanwhile, and its number be another's.
        guard let hasEnded = stream?.comeBack() else { return }
        guard (try? loop.update(number, for: state.interest)) != nil else { return tell(.failed) }
        // With the end of its handshake a client may have sent a request.
        if hasEnded { tell(.readable(isFull: false)) }
    }

    /// Whether the client is not known well enough yet to be told anything.
    private var isHandshaking: Bool { isSecure && stream?.isHandshaking ?? false }

    /// Reads what TLS has taken off the socket already, which no loop announces: one record at most.
    private func readRest(into buffer: inout [UInt8], isOfUse: Bool) {
        while stream?.hasMore ?? false, case .bytes(let count)? = try? stream?.receive(overwriting: &buffer) {
            if isOfUse { parser.append(buffer[..<count]) }
        }
    }

    /// Starts on the next request if it is all there.
    private func parse() -> ConnectionEvent? {
        if isHandshaking { return .requestIncomplete(.head, awaitsContinue: false) }
        do throws(ProtocolError) {
            guard let request = try parser.next(listener.limits) else {
                return .requestIncomplete(parser.stage, awaitsContinue: parser.awaitsContinue)
            }
            if prepare(state.handle(.requestComplete(keepsAlive: request.keepsAlive))) == .handOver {
                handOver(request)
            }
        } catch {
            if prepare(state.handle(.requestViolated)) == .refuse(.violation) { refuse(error) }
        }
        return nil
    }

    /// RFC 9110 §10.1.1: the client holds the body back until it hears this.
    private func sendContinue() -> ConnectionEvent? {
        let line = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
        parser.acknowledgeContinue()
        // Nothing else is on its way to the client, so a system that does not take these few bytes has lost it.
        return (try? stream?.send(line, from: 0)) == line.count ? nil : .failed
    }

    // MARK: Answering

    /// Has a request answered in a task of its own.
    private func handOver(_ parsed: ParsedRequest) {
        let id = parsed.head.requestIdentifier ?? listener.resources.withValue { $0.requestIdentifier() }
        let request = HTTPRequest(
            method: parsed.method, path: parsed.path, query: parsed.query, head: parsed.head, body: parsed.body,
            peer: peer, id: id, receivedAt: startedAt,
            clientCertificate: isSecure ? stream?.clientCertificate : nil)
        let context = ResponseContext(
            requestID: id, dropsBody: parsed.method == .head, isVersion10: parsed.isVersion10, acceptsGzip: false,
            closes: false)
        answering = Task(executorPreference: loop) { await self.answer(request, context) }
    }

    private func answer(_ request: HTTPRequest, _ context: ResponseContext) async {
        let response = await listener.handler.respond(to: request)
        answering = nil
        var context = context
        context.acceptsGzip = response.suitsGzip && ContentCoding.acceptsGzip(request.head)
        send(response, context)
    }

    /// Answers what is no request.
    private func refuse(_ violation: ProtocolError) {
        let id = listener.resources.withValue { $0.requestIdentifier() }
        let response = listener.handler.refuse(violation, requestID: id, peer: peer)
        let context = ResponseContext(
            requestID: id, dropsBody: false, isVersion10: false, acceptsGzip: false, closes: true)
        send(response, context)
    }

    /// Sends what the system takes at once of an answer, and keeps the rest.
    private func send(_ response: HTTPResponse, _ context: ResponseContext) {
        let now = MonotonicTime.now
        let event: ConnectionEvent? = listener.resources.withValue { resources in
            let ready = ConnectionEvent.answerReady(
                closes: response.closesConnection, isLeaving: resources.announcesClose,
                hasMore: parser.bufferedBytes > 0)
            (watcher, telling) = (response.watcher, nil)
            guard state.handle(ready).step == .send else {
                noteLoss()
                return nil
            }
            var context = context
            context.closes = state.closesAfterAnswer
            let body = resources.render(response, context, at: now)
            guard
                let sent = try? body.isEmpty
                    ? stream?.send(resources.output, from: 0) : stream?.send(resources.output, body, from: 0)
            else {
                noteLoss()
                return .failed
            }
            let unsent = UnsentAnswer(head: resources.output, body: body, sent: sent)
            if unsent.isEmpty {
                noteTaken()
                return .answerTaken
            }
            self.unsent = unsent
            return .answerTakenInPart
        }
        if let event { tell(event, at: now) }
    }

    /// Sends more of an answer that the client takes slowly.
    private func sendMore() -> ConnectionEvent {
        guard let sent = try? stream?.send(unsent.head, unsent.body, from: unsent.offset) else {
            noteLoss()
            return .failed
        }
        unsent.offset += sent
        guard unsent.isEmpty else { return .answerTakenInPart }
        unsent = UnsentAnswer()
        noteTaken()
        return .answerTaken
    }

    private func noteTaken() {
        guard let watcher else { return }
        telling = Task(executorPreference: loop) { await watcher.wasTaken() }
    }

    private func noteLoss() {
        guard let lost = watcher else { return }
        watcher = nil
        Task(executorPreference: loop) { [telling] in
            await telling?.value
            await lost.wasLost()
        }
    }
}
