internal import Syntax

/// What is asked of the audit trail: which events, in which order, and from where on.
public struct AuditQuery: Equatable, Sendable {
    public enum Order: String, Sendable, CaseIterable {
        case newestFirst = "desc"
        /// For who follows the trail: behind the last event there will be others.
        case oldestFirst = "asc"
    }

    /// Where a page begins.
    public enum Place: Equatable, Sendable {
        /// At the first event of the order.
        case start
        /// Behind the event of that number, in the order of the oldest first. Where that event is not there any more,
        /// what is left begins anew: then some may come twice, and none is left out.
        case after(Int64)
        case cursor(AuditCursor)
    }

    public var event: AuditEvent.Kind?
    public var user: UserID?
    public var actor: AuditActor?
    /// The first second, since 1970.
    public var since: Int64?
    /// The second behind the last one, since 1970.
    public var until: Int64?
    public var order: Order
    public var place: Place
    /// How many events at most.
    public var limit: Int

    public init(
        event: AuditEvent.Kind? = nil, user: UserID? = nil, actor: AuditActor? = nil, since: Int64? = nil,
        until: Int64? = nil, order: Order, place: Place = .start, limit: Int
    ) {
        (self.event, self.user, self.actor, self.since, self.until) = (event, user, actor, since, until)
        (self.order, self.place, self.limit) = (order, place, limit)
    }
}

/// Behind which event a page of the audit trail begins: that event's own place among all others, and the order in which
/// they are read. It stays good when the event itself is not there any more.
public struct AuditCursor: Equatable, Sendable {
    /// By what a store puts events in order, before their numbers.
    public enum Sequence: String, Sendable {
        /// By nothing: one transaction comes after the other, and so do numbers.
        case number = "n"
        /// By the transactions that have written them.
        case transaction = "x"
        /// By their times.
        case time = "t"
    }

    public let order: AuditQuery.Order
    public let sequence: Sequence
    /// The event's transaction or time; 0 where there is none.
    public let rank: Int64
    public let id: Int64

    public init(order: AuditQuery.Order, sequence: Sequence, rank: Int64, id: Int64) {
        (self.order, self.sequence, self.rank, self.id) = (order, sequence, rank, id)
    }

    /// The text that who reads page by page is given.
    public var text: String {
        Base64URL.encode(Array("\(order.rawValue).\(sequence.rawValue).\(rank).\(id)".utf8))
    }

    /// Reads the text form.
    ///
    /// - Returns: nil for any other text.
    public init?(_ text: String) {
        guard text.utf8.count <= 80, let bytes = Base64URL.decode(text.utf8.span),
            let plain = String(validating: bytes, as: UTF8.self)
        else { return nil }
        let parts = plain.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, let order = AuditQuery.Order(rawValue: String(parts[0])),
            let sequence = Sequence(rawValue: String(parts[1])), let rank = Int64(parts[2]), rank >= 0,
            let id = Int64(parts[3]), id >= 0
        else { return nil }
        self.init(order: order, sequence: sequence, rank: rank, id: id)
    }
}

/// A page of the audit trail.
public struct AuditPage: Equatable, Sendable {
    public var events: [AuditEvent]
    /// Behind the last of them; nil where there is none.
    public var next: AuditCursor?

    public init(events: [AuditEvent], next: AuditCursor?) {
        (self.events, self.next) = (events, next)
    }
}
