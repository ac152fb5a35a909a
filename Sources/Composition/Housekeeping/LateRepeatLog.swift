import Accounts
import Logging

/// Tells who watches over the service that a refresh token was sent again long after its answer: an app that was away,
/// or somebody who has had the token since.
struct LateRepeatLog: AuditObserver {
    let logger: Logger

    func noted(_ events: [NewAuditEvent]) {
        for event in events where event.kind == .refreshAnswerRepeatedLate {
            var metadata: Logger.Metadata = [
                "security": .stringConvertible(true), "reason": "\(event.kind.rawValue)",
            ]
            if let app = event.origin.app { metadata["client"] = "\(app)" }
            if let session = event.origin.session { metadata["session"] = "\(session)" }
            if let request = event.origin.request { metadata["request_id"] = "\(request)" }
            logger.warning("a refresh token was sent again long after its answer", metadata: metadata)
        }
    }
}

/// Several who hear of what the audit trail gets, one after the other.
struct AuditObservers: AuditObserver {
    let all: [any AuditObserver]

    func noted(_ events: [NewAuditEvent]) {
        for observer in all { observer.noted(events) }
    }
}
