import Accounts
import Postgres

/// A sign-in that concerns nothing but its code, the user with the identity, and the session, as nearly every one does:
/// it goes into a single statement (``KnownUserSignIn``, ``NewUserSignIn``).
struct SimpleSignIn {
    /// What is used up; nil where nothing is.
    let code: OneTimeUse?
    let slot: CodeSlot
    private let record: SignInRecord
    let provider: String
    let subject: Subject
    let registration: Registration
    let own: SelfAssertedName?
    let statement: ProviderStatement
    let session: NewSession
    /// From when on a line in time would bar it, in milliseconds since 1970. Where there is one, it is not simple.
    let leastLine: Int64
    let sessionLimits: SessionLimits?
    let now: Int64

    /// - Returns: nil where the record has more than a single statement stores.
    init?(_ record: SignInRecord) {
        // All of them are named: a field that comes later does not compile here before it is decided whether a single
        // statement stores it, or can't where it is there.
        let (
            evidence, challenge, provider, subject, personKey, ported, refusedPortTokens, registration, attributes, own,
            claims, session, beginning, appCode, push, approval, kept, sessionLimits, now
        ) = record.fields
        guard challenge == nil, personKey == nil, ported.isEmpty, refusedPortTokens == 0, appCode == nil, push == nil,
            approval == nil, kept == nil, session.replaces == nil
        else { return nil }
        code = evidence.oneTimeUse
        slot = CodeSlot(of: evidence)
        (self.record, self.provider, self.subject, self.registration) = (record, provider, subject, registration)
        self.own = own
        statement = ProviderStatement(
            provider: provider, subject: subject.value, attributes: attributes, claims: claims, at: now)
        self.session = session
        leastLine = beginning.leastLine(now: now)
        (self.sessionLimits, self.now) = (sessionLimits, now)
    }

    /// Whether nothing is used up, or a code, which its claim has made known in every table.
    var isInOneTable: Bool { code == nil || slot != .lasting }

    /// What is kept of the answer with the use of the code.
    func answer(_ arrival: KeptAnswer.Arrival) -> Value {
        record.answer(to: arrival).map { .bytes($0.encoded) } ?? .null
    }
}
