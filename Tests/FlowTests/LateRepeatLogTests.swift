import Accounts
import GatehouseTesting
import Logging
import TestSupport
import Testing

@testable import Composition
@testable import Operations

@Suite struct `A refresh token that is sent again long after its answer` {
    @Test func `is told at warning, with its app, session and request, and nothing else is`() {
        let log = RecordedLog()
        let session = Sample.session().id
        func event(_ kind: AuditEvent.Kind) -> NewAuditEvent {
            NewAuditEvent(
                at: Sample.now, kind: kind, user: UserID(rawValue: 1), oldIdentity: nil, newIdentity: nil,
                origin: AuditOrigin(actor: .user, app: "desk", session: session, request: "request-1"))
        }
        LateRepeatLog(logger: log.logger).noted([
            event(.refreshAnswerRepeated), event(.refreshAnswerRepeatedLate), event(.sessionRevoked),
        ])
        let line = log.text.split(separator: "\n")
        #expect(line.count == 1)
        #expect(
            line.first?.contains(
                "warning a refresh token was sent again long after its answer client=desk "
                    + "reason=refresh_answer_repeated_late request_id=request-1 security=true session=\(session)")
                == true)
    }
}
