package import Accounts
import Synchronization

/// The SELECT of a page of the audit trail, and its values. It has an index for whatever is asked.
package struct AuditSelect {
    /// By how much a clock may have been wrong when events were written. Times narrow down where to look, by more than
    /// that, so that nothing is walked through that lies far outside of them.
    private static let clockSlack: Int64 = 86_400

    /// The text with `?` for its values.
    package var text: String {
        let key = sequence == .number ? ["id"] : [rank, "id"]
        let order = key.map { query.order == .oldestFirst ? $0 : $0 + " DESC" }.joined(separator: ", ")
        // By another name, or it is what the rows would be put in order by.
        let ranked = sequence == .transaction ? ", writer::text AS rank" : ""
        return "SELECT \(AuditColumn.readNames)\(ranked) FROM audit WHERE \(conditions.joined(separator: " AND ")) "
            + "ORDER BY \(order) LIMIT ?"
    }
    package var values: [ColumnValue] { places + [.integer(Int64(query.limit))] }

    private let query: AuditQuery
    private let sequence: AuditCursor.Sequence
    private var conditions: [String] = []
    private var places: [ColumnValue] = []

    /// - Parameter horizon: where not all is told yet, up to what: the first transaction that may still add something,
    ///   or the last second to which nothing can be added.
    /// - Returns: nil where the cursor is of another order, or of a store with another one.
    package init?(_ query: AuditQuery, by sequence: AuditCursor.Sequence, horizon: Int64? = nil) {
        (self.query, self.sequence) = (query, sequence)
        filter()
        narrow()
        if let horizon {
            switch sequence {
            case .number: break
            case .transaction: add("writer < ?::text::xid8", .text(String(horizon)))
            case .time: add("at <= ?", .integer(horizon))
            }
        }
        guard place() else { return nil }
    }

    private var rank: String { sequence == .transaction ? "writer" : "at" }
    private var step: String { query.order == .oldestFirst ? ">" : "<" }

    private mutating func add(_ condition: String, _ values: ColumnValue...) {
        conditions.append(condition)
        places += values
    }

    /// What nearly every row has is in no index: for that, any row will do. What else is asked for is said twice, or
    /// the index would not be known to have it.
    private mutating func filter() {
        if let event = query.event {
            let rare = event == .userCreated ? "" : " AND event <> '\(AuditEvent.Kind.userCreated.rawValue)'"
            add("event = ?" + rare, .text(event.rawValue))
        }
        if let user = query.user { add("user_id = ?", .integer(user.rawValue)) }
        if let actor = query.actor {
            let rare = actor == .user ? "" : " AND actor <> '\(AuditActor.user.text)'"
            add("actor = ?" + rare, .text(actor.text))
        }
    }

    private mutating func narrow() {
        // Its order is that of time: the conditions themselves bound it.
        let at = sequence == .time ? "at" : "+at"
        if let since = query.since { add("\(at) >= ?", .integer(since)) }
        if let until = query.until { add("\(at) < ?", .integer(until)) }
        if let since = query.since { bound(">", "at < ?", "at DESC", .integer(since - Self.clockSlack), or: .first) }
        if let until = query.until {
            bound("<", "at > ?", "at", .integer(min(until, .max - Self.clockSlack) + Self.clockSlack), or: .last)
        }
    }

    private enum End { case first, last }

    /// Nothing beyond the row that is nearest to a time and safely outside of it.
    private mutating func bound(_ step: String, _ outside: String, _ order: String, _ time: ColumnValue, or end: End) {
        let number = end == .first ? "0" : String(Int64.max)
        func row(_ column: String) -> String {
            "(SELECT \(column) FROM audit WHERE \(outside) ORDER BY \(order) LIMIT 1)"
        }
        switch sequence {
        case .number: add("id \(step) coalesce(\(row("id")), \(number))", time)
        case .transaction:
            // The row itself need not be among those: any of its transaction may be.
            add("writer \(step)= coalesce(\(row("writer")), '\(number)'::xid8)", time)
        case .time: break
        }
    }

    /// - Returns: whether the query's place is one of this order.
    private mutating func place() -> Bool {
        switch query.place {
        case .start: if sequence == .number { add("id \(step) ?", .integer(query.order == .oldestFirst ? 0 : .max)) }
        case .after(let id):
            guard query.order == .oldestFirst else { return false }
            switch sequence {
            case .number: add("id > ?", .integer(id))
            // Where the row is gone, what is left begins anew: one with a lower number may be still to come.
            case .transaction:
                add(
                    "(writer, id) > (coalesce((SELECT writer FROM audit WHERE id = ?), '0'::xid8), ?)", .integer(id),
                    .integer(id))
            case .time:
                add("(at, id) > (coalesce((SELECT at FROM audit WHERE id = ?), 0), ?)", .integer(id), .integer(id))
            }
        case .cursor(let cursor):
            guard cursor.order == query.order, cursor.sequence == sequence else { return false }
            switch sequence {
            case .number: add("id \(step) ?", .integer(cursor.id))
            case .transaction:
                add("(writer, id) \(step) (?::text::xid8, ?)", .text(String(cursor.rank)), .integer(cursor.id))
            case .time: add("(at, id) \(step) (?, ?)", .integer(cursor.rank), .integer(cursor.id))
            }
        }
        if conditions.isEmpty { conditions = ["true"] }
        return true
    }

    /// The query of this text, the same each time: connections know it by its identity.
    package var prepared: Query { Self.known.query(text) }

    private static let known = KnownQueries()

    private final class KnownQueries: Sendable {
        private let known = Mutex<[String: Query]>([:])

        // There are as many texts as there are kinds of questions, some hundred.
        func query(_ text: String) -> Query {
            known.withLock { known in
                if let query = known[text] { return query }
                let query = Query(text)
                known[text] = query
                return query
            }
        }
    }
}

extension AuditPage {
    /// - Parameter ranks: what comes before the events' numbers in their order.
    package init(_ events: [AuditEvent], ranks: [Int64], _ sequence: AuditCursor.Sequence, _ query: AuditQuery) {
        var next: AuditCursor?
        if let last = events.last, let rank = ranks.last {
            next = AuditCursor(order: query.order, sequence: sequence, rank: rank, id: last.id)
        }
        self.init(events: events, next: next)
    }
}
