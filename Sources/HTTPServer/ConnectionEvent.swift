/// What may happen to a connection, as ``ConnectionState`` is told.
enum ConnectionEvent: Equatable, Sendable {
    /// The connection may begin. `isStopping`: the server is on its way out.
    case opened(isStopping: Bool)
    /// There is something to be read. `isFull`: as much as may be is read ahead of the answer that is being made.
    case readable(isFull: Bool)
    /// More of an answer can be written.
    case writable
    /// Bytes were read.
    case bytesRead
    /// There was nothing to be read.
    case nothingRead
    /// The client has closed its sending side, or reading has failed.
    case inputEnded
    /// All of a request is there.
    case requestComplete(keepsAlive: Bool)
    /// What has come is no request yet. `awaitsContinue`: the client wants to hear that it may send the body.
    case requestIncomplete(RequestParser.Stage, awaitsContinue: Bool)
    /// What has come is no request, and never will be.
    case requestViolated
    /// The connection is one too many.
    case turnedAway
    /// There is an answer. `closes`: its handler wants the connection to end with it; `isLeaving`: the server does;
    /// `hasMore`: the client has sent more than the request that is answered.
    case answerReady(closes: Bool, isLeaving: Bool, hasMore: Bool)
    /// The system has taken all of the answer.
    case answerTaken
    /// The system has taken a part of the answer, or nothing.
    case answerTakenInPart
    /// The connection is broken, says the system or a call.
    case failed
    /// The deadline that was set last has passed.
    case deadlinePassed
    /// The server stops, and what has arrived was read. `givesTime`: a client that has not asked for anything yet still
    /// may.
    case stopped(givesTime: Bool)
    /// The listener wants it closed at once.
    case dismissed
}
