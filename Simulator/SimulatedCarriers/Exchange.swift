internal import Crypto
internal import EventLoop
internal import HTTPServer
internal import Synchronization

/// One request's way through the simulation: it is recorded, kept waiting, answered, and answered wrongly if so asked.
struct Exchange: Sendable {
    private static let tick = Duration.milliseconds(20)
    private static let dripInterval = Duration.milliseconds(100)
    private static let maximumHang = Duration.seconds(600)

    let world: World
    /// The loop of the connection, whose timers wait.
    let loop: EventLoop
    let request: HTTPRequest
    /// Where the connection was accepted.
    let port: UInt16

    /// Answers.
    ///
    /// - Parameters:
    ///   - issuer: who is asked; it need not be who listens.
    ///   - plan: the misbehaviours that the request itself carries, in a code or an access token.
    ///   - respond: the right answer, given the misbehaviours that are its own affair.
    func answer(
        at endpoint: SimulatedEndpoint, of issuer: SimulatedIssuer, plan: MisbehaviourPlan,
        _ respond: ([Misbehaviour]) throws(CryptoError) -> HTTPResponse
    ) async -> HTTPResponse {
        world.log.record(request, at: endpoint, of: issuer)
        let misbehaviours = world.switches.take(at: endpoint, of: issuer) + plan.misbehaviours(at: endpoint)
        await pause(delay(misbehaviours))
        while let held = misbehaviours.held, !held.isReleased, !Task.isCancelled { await pause(Self.tick) }
        let misbehaviour = misbehaviours.answer
        if let script = misbehaviours.script { return script.response }
        if let response = misbehaviour?.replacement(world) { return response }
        if misbehaviour == .hang { return await hang() }
        if misbehaviour == .notHTTP { return endConnection { _ = $0.send("220 This is no HTTP server.\r\n".utf8) } }
        var response: HTTPResponse
        do throws(CryptoError) {
            response = try respond(misbehaviours)
            for edit in misbehaviours.edits { response.body = edit.edited(response.body) }
        } catch {
            return HTTPResponse(status: .internalServerError)
        }
        return await deliver(response, misbehaviour)
    }

    private func delay(_ misbehaviours: [Misbehaviour]) -> Duration {
        misbehaviours.reduce(world.latency.withLock { $0 }) { sum, misbehaviour in
            if case .slow(let milliseconds) = misbehaviour { sum + .milliseconds(milliseconds) } else { sum }
        }
    }

    private func deliver(_ response: HTTPResponse, _ misbehaviour: AnswerMisbehaviour?) async -> HTTPResponse {
        switch misbehaviour {
        case .reset: endConnection { $0.reset() }
        case .close: endConnection { $0.close() }
        case .truncated:
            endConnection { connection in
                _ = connection.send(Self.head(of: response) + response.body.prefix(response.body.count / 2))
                connection.close()
            }
        case .drip: await drip(response)
        default: misbehaviour?.spoilt(response) ?? response
        }
    }

    /// Waits without a thread.
    private func pause(_ duration: Duration) async {
        guard duration > .zero else { return }
        await withCheckedContinuation { continuation in
            loop.schedule(after: duration) { continuation.resume() }
        }
    }

    /// Waits until the client has gone.
    private func hang() async -> HTTPResponse {
        guard let connection = SeizedConnection(of: request, at: port) else { return Self.lost }
        var waited = Duration.zero
        while !Task.isCancelled, !connection.peerHasLeft, waited < Self.maximumHang {
            await pause(Self.tick)
            waited += Self.tick
        }
        connection.close()
        return Self.lost
    }

    private func drip(_ response: HTTPResponse) async -> HTTPResponse {
        guard let connection = SeizedConnection(of: request, at: port) else { return Self.lost }
        var isThere = connection.send(Self.head(of: response))
        for byte in response.body where isThere && !Task.isCancelled {
            await pause(Self.dripInterval)
            isThere = connection.send([byte])
        }
        connection.close()
        return Self.lost
    }

    private func endConnection(_ body: (borrowing SeizedConnection) -> Void) -> HTTPResponse {
        if let connection = SeizedConnection(of: request, at: port) { body(connection) }
        return Self.lost
    }

    /// What the server is given to send when the connection is no longer fit for it.
    private static var lost: HTTPResponse {
        var response = HTTPResponse(status: .internalServerError)
        response.closesConnection = true
        return response
    }

    private static func head(of response: HTTPResponse) -> [UInt8] {
        var text = "HTTP/1.1 \(response.status.code) \(response.status.reasonPhrase)\r\n"
        for header in response.headers { text += "\(header.name): \(header.value)\r\n" }
        return Array("\(text)Content-Length: \(response.body.count)\r\n\r\n".utf8)
    }
}
