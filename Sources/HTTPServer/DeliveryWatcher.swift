/// Hears what becomes of an answer that counts once: whether the client can have got it.
///
/// Nobody knows that a client has read what was sent. What is known is that the system has taken all of it, and that
/// the connection broke before anything more came from the client.
public protocol DeliveryWatcher: Sendable {
    /// The system has taken the whole answer.
    func wasTaken() async
    /// The connection broke: before that, or after it and before the client said anything more.
    func wasLost() async
}
