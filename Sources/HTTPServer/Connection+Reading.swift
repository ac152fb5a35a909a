import EventLoop
internal import System

extension Connection {
    /// Reads what has come, once: whatever is left is announced again.
    func receive() {
        switch phase {
        case .receiving: break
        case .lingering: return discard()
        case .answering, .sending:
            // The next request waits in the system's buffer, and then at the client.
            if parser.bufferedBytes >= listener.limits.pipelinedBytes { return stopWaiting(for: .readable) }
        case .closed: return
        }
        switch read({ parser.append($0) }) {
        case .wouldBlock: if awaited == nil, phase == .receiving { awaitRequest() }
        case .endOfStream:
            inputHasEnded = true
            if phase == .receiving { close() } else { stopWaiting(for: .readable) }
        case .bytes:
            guard phase == .receiving else { return }
            if awaited == nil || awaited == .idle { receivedAt = .now }
            proceed()
        }
    }

    /// Starts on the next request if it is all there, otherwise waits for the rest of it.
    func proceed() {
        do throws(ProtocolViolation) {
            if let request = try parser.next(listener.limits) { return start(request) }
        } catch {
            return refuse(error)
        }
        if inputHasEnded { return close() }
        if parser.awaitsContinue { sendContinue() }
        awaitRequest()
    }

    /// Waits for bytes, with the deadline of the part of the request that is due.
    private func awaitRequest() {
        guard wait(for: .readable) else { return }
        let stage = parser.stage
        guard stage != awaited else { return }
        awaited = stage
        let timeouts = listener.timeouts
        let number = number
        switch stage {
        case .idle:
            let isLeaving = listener.supplies.withValue { supplies in
                supplies.idle.enter(number)
                return supplies.isDraining
            }
            setDeadline(isLeaving ? timeouts.firstRequestGrace : timeouts.idle, from: receivedAt)
        case .head:
            listener.supplies.withValue { $0.idle.leave(number) }
            setDeadline(timeouts.header, from: receivedAt)
        case .body:
            listener.supplies.withValue { $0.idle.leave(number) }
            setDeadline(timeouts.body, from: .now)
        }
    }

    /// Reads into the loop's buffer and passes on what came.
    private func read(_ take: (ArraySlice<UInt8>) -> Void) -> StreamSocket.Received {
        var buffer = listener.supplies.withValue { $0.takeReceiveBuffer() }
        // A connection that was reset, like one that has no socket any more, has said its last.
        let received = (try? stream?.receive(overwriting: &buffer)) ?? .endOfStream
        if case .bytes(let count) = received { take(buffer[..<count]) }
        listener.supplies.withValue { $0.giveBack(receiveBuffer: buffer) }
        return received
    }

    /// What a client still sends after its last answer is of no use.
    private func discard() {
        if read({ _ in }) == .endOfStream { close() }
    }

    /// RFC 9110 §10.1.1: the client holds the body back until it hears this.
    private func sendContinue() {
        let line = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
        parser.acknowledgeContinue()
        // Nothing else is on its way to the client, so a system that does not take these few bytes has lost it.
        if (try? stream?.send(line, from: 0)) != line.count { close() }
    }
}
