/// What operators ask.
public protocol OperatorRepository: Sendable {
    /// The audit trail from after the event of that id on (0: from its start), at most `limit` events.
    func auditEvents(after id: Int64, limit: Int) async throws(RepositoryError) -> [AuditEvent]
}
