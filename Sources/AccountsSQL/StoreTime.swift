import Accounts
public import System

/// When a piece of work of the store is given up: by its own time, and by what is left of its request's.
///
///     let time = StoreTime(usual: .seconds(5), request: settings.requestTimeout)
///     defer { time.note() }
///     … until time.deadline
public struct StoreTime: Sendable {
    public let start: MonotonicTime
    public let deadline: MonotonicTime
    /// Of the request; nil where nobody waits for an answer.
    private let context: AuditContext?

    /// Begins now.
    ///
    /// - Parameters:
    ///   - usual: how long such work may take by itself.
    ///   - request: how long all that one request asks of the store may take; nil where that is not bounded.
    public init(usual: Duration, request: Duration?) {
        start = .now
        guard let request, let context = AuditContext.current, context.isOfRequest else {
            deadline = start + usual
            context = nil
            return
        }
        deadline = start + min(usual, max(.zero, request - context.storeTime))
        self.context = context
    }

    /// Begins now: what is left of the request's time.
    ///
    /// - Parameter otherwise: how long such work may take where it is of no request, or its time is not bounded.
    public init(request: Duration?, otherwise: Duration) {
        start = .now
        guard let request, let context = AuditContext.current, context.isOfRequest else {
            deadline = start + otherwise
            context = nil
            return
        }
        deadline = start + max(.zero, request - context.storeTime)
        self.context = context
    }

    /// Whether an answer waits for it.
    public var isOfRequest: Bool { context != nil }

    /// Tells the request how long it has taken.
    public func note() { context?.note(storeTime: .now - start) }
}
