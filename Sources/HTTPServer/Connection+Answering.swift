import EventLoop
import System

extension Connection {
    /// Has a request answered in a task of its own.
    func start(_ parsed: ParsedRequest) {
        let number = number
        hasAsked = true
        if awaited == .idle { listener.supplies.withValue { $0.idle.leave(number) } }
        awaited = nil
        phase = .answering
        let id = parsed.head.requestIdentifier ?? listener.supplies.withValue { $0.requestIdentifier() }
        let request = HTTPRequest(
            method: parsed.method, path: parsed.path, query: parsed.query, head: parsed.head, body: parsed.body,
            peer: peer, id: id, receivedAt: receivedAt)
        let context = ResponseContext(
            requestID: id, dropsBody: parsed.method == .head, isVersion10: parsed.isVersion10,
            acceptsGzip: false, closes: !parsed.keepsAlive)
        answering = Task(executorPreference: loop) { await self.answer(request, context) }
    }

    private func answer(_ request: HTTPRequest, _ context: ResponseContext) async {
        let response = await listener.handler.respond(to: request)
        // The connection may have ended while the handler was at work.
        guard phase == .answering else { return }
        answering = nil
        var context = context
        context.acceptsGzip = ContentCoding.suits(response) && ContentCoding.acceptsGzip(request.head)
        send(response, context)
    }

    /// Answers what is no request, and closes.
    func refuse(_ violation: ProtocolViolation) {
        guard phase == .receiving, stream != nil else { return }
        let number = number
        let id = listener.supplies.withValue { supplies in
            supplies.idle.leave(number)
            return supplies.requestIdentifier()
        }
        let response = listener.handler.refuse(violation, requestID: id, peer: peer)
        let context = ResponseContext(
            requestID: id, dropsBody: false, isVersion10: false, acceptsGzip: false, closes: true)
        send(response, context)
    }

    private func send(_ response: HTTPResponse, _ context: ResponseContext) {
        let now = MonotonicTime.now
        let unsent: UnsentAnswer? = listener.supplies.withValue { supplies in
            var context = context
            // What a client has sent already is answered before its connection closes.
            let isAwaited = supplies.announcesClose && parser.bufferedBytes == 0
            context.closes = context.closes || response.closesConnection || isAwaited
            closesAfterAnswer = context.closes
            let body = supplies.render(response, context, at: now)
            guard
                let sent = try? body.isEmpty
                    ? stream?.send(supplies.output, from: 0) : stream?.send(supplies.output, body, from: 0)
            else { return nil }
            return UnsentAnswer(head: supplies.output, body: body, sent: sent)
        }
        guard let unsent else { return close() }
        if unsent.isEmpty { return answerIsSent(now) }
        phase = .sending
        self.unsent = unsent
        setDeadline(listener.timeouts.write, from: now)
        alsoWait(for: .writable)
    }

    /// Sends more of an answer that the client takes slowly.
    func flush() {
        guard let sent = try? stream?.send(unsent.head, unsent.body, from: unsent.offset) else { return close() }
        unsent.offset += sent
        guard unsent.isEmpty else { return }
        unsent = UnsentAnswer()
        stopWaiting(for: .writable)
        answerIsSent(.now)
    }

    private func answerIsSent(_ now: MonotonicTime) {
        guard phase != .closed else { return }
        if closesAfterAnswer { return closeGently() }
        phase = .receiving
        receivedAt = now
        proceed()
    }
}
