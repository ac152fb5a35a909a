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
        deadline = min(start + usual, Self.end(of: request, from: start, context))
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
        deadline = Self.end(of: request, from: start, context)
        self.context = context
    }

    /// Whether an answer waits for it.
    public var isOfRequest: Bool { context != nil }

    /// Tells the request how long it has taken.
    public func note() { context?.note(storeNanoseconds: MonotonicTime.now.nanoseconds - start.nanoseconds) }

    /// When the request's time is over.
    private static func end(
        of request: Duration, from start: MonotonicTime, _ context: AuditContext
    ) -> MonotonicTime {
        max(start, MonotonicTime(nanoseconds: (start + request).nanoseconds - context.storeNanoseconds))
    }
}
