import Accounts
import Testing

/// What ends sessions. Each is done to the user of one subject.
private enum Ending: CaseIterable {
    case logoutBySession, logoutBySubject, consentRevoked, hijacked, disabled, signedOutEverywhere
    case endedByOperator, endedOfApp, endedOfProvider, endedOfEverybody, locked, unlinked, repointed, erased, merged

    /// Whether it is about a user, of whom nobody knows before the first sign-in.
    var isAboutUser: Bool {
        switch self {
        case .signedOutEverywhere, .endedByOperator, .locked, .unlinked, .erased, .merged: true
        case .logoutBySession, .logoutBySubject, .consentRevoked, .hijacked, .disabled, .endedOfApp, .endedOfProvider,
            .endedOfEverybody, .repointed:
            false
        }
    }

    var locks: Bool { self == .locked || self == .disabled }
}

/// What is under way to become a session, or to be one for longer.
private enum UnderWay: CaseIterable {
    case postedCode, challengedCode, nativeToken, exchangedToken, browser, ticket, appCode, refresh, link

    /// Whether it is an app's of ours, and not of who posts codes.
    var isOfApp: Bool { [.browser, .appCode, .refresh].contains(self) }
    /// Whether there is a session already, which an ending deletes.
    var isSession: Bool { self == .appCode || self == .refresh }
}

private enum Phase: CaseIterable {
    /// It began and came before the ending; it began before and comes behind; it begins behind; both at once.
    case over, before, after, during
}

/// One cell of the table: a user, what is under way, and what ends it.
private struct Cell {
    private static let client = "desk"

    /// Behind all lines of the cells before.
    let now: Int64
    let store: any AccountRepository
    let other: any AccountRepository
    let thing: UnderWay
    let ending: Ending
    let subject: Subject
    let provider: String
    let user: UserID
    /// Of the user, by another identity, which nothing here is about; the one to link under is a stranger's.
    let keeper: NewSession
    let upstream = Sample.hash()
    let session: NewSession

    init(
        _ store: any AccountRepository, _ other: any AccountRepository, _ thing: UnderWay, _ ending: Ending,
        _ phase: Phase, number: Int64
    ) async throws {
        now = Sample.now + number * 2000
        (self.store, self.other, self.thing, self.ending) = (store, other, thing, ending)
        let name = "\(thing) \(ending) \(phase)"
        subject = Sample.subject(name)
        provider = "zenkey-\(number)"
        var keeper = Sample.session(expiresAt: now + 86_400)
        keeper.id = SessionID(milliseconds: (now - 100) * 1000, random: (.random(in: 0 ... .max), 1))
        self.keeper = keeper
        var record = Sample.signIn(Sample.subject("keeper of \(name)"), session: keeper, now: now - 100)
        record.draft.provider = "keeper"
        user = try await store.signedIn(record).user
        if thing != .ticket, thing != .link {
            var link = Sample.link(subject, keeper.id, now: now - 100)
            link.provider = provider
            _ = try await store.linked(link)
            // From the second sign-in on an engine may have a shorter way.
            var first = Sample.signIn(
                subject, session: Sample.session(expiresAt: now - 80), beginning: .seen((now - 90) * 1000),
                now: now - 90)
            first.draft.provider = provider
            _ = try await store.signedIn(first)
        }
        session = Self.makeSession(of: thing, upstream, now: now, isAfter: phase == .after)
        if phase != .after { try await prepare() }
    }

    private static func makeSession(
        of thing: UnderWay, _ upstream: TokenHash, now: Int64, isAfter: Bool
    ) -> NewSession {
        var session = Sample.session(expiresAt: now + 86_400)
        let drawn = now * 1000 + 500
        let made = isAfter ? drawn + 200 : drawn - 200
        session.id = SessionID(milliseconds: made, random: (.random(in: 0 ... .max), .random(in: 0 ... .max)))
        session.family = session.id
        session.upstreamSession = upstream
        session.authentication.time = isAfter ? now + 2 : now - 60
        if thing.isOfApp { (session.client, session.scope) = (client, "openid") }
        if thing == .exchangedToken { session.source = .tokenExchange }
        return session
    }

    /// When the line is drawn, in milliseconds: both sides of it lie in one second.
    private var drawn: Int64 { now * 1000 + 500 }
    private var ticket: OneTimeUse { OneTimeUse(hash: ticketHash, expiresAt: now + 600) }
    private let ticketHash = Sample.hash()
    private let code = Sample.hash()

    /// What must be there before it is under way.
    ///
    /// - Returns: whose the session is, where there is one already.
    @discardableResult
    private func prepare(isAfter: Bool = false) async throws -> UserID? {
        switch thing {
        case .ticket:
            var record = record(isAfter: isAfter)
            record.draft.registration = .ticket(ticket)
            #expect(try await store.signIn(record) == .unlinked)
        case .appCode, .refresh: return try await store.signedIn(record(isAfter: isAfter)).user
        case .postedCode, .challengedCode, .nativeToken, .exchangedToken, .browser, .link: break
        }
        return nil
    }

    private func record(isAfter: Bool) -> SignInRecord {
        var record = Sample.signIn(
            subject, session: session, now: isAfter ? now + 2 : now - (thing.isSession ? 1 : 0))
        record.draft.provider = provider
        record.draft.beginning = beginning(isAfter: isAfter)
        if thing == .exchangedToken { record.draft.evidence = .accessToken(nil) }
        if thing == .appCode {
            record.draft.appCode = NewAppCode(
                hash: code, redirectURI: "https://desk.example/cb", codeChallenge: "challenge", nonce: nil,
                expiresAt: now + 600, consent: nil)
        }
        return record
    }

    private func beginning(isAfter: Bool) -> SignInBeginning {
        switch thing {
        case .postedCode: .untold
        case .nativeToken: .issued(isAfter ? now + 1 : now - 1)
        // After a line only a token that tells its age can show that it is younger.
        case .exchangedToken:
            isAfter ? .issued(now + 1) : ending == .endedOfEverybody ? .issued(now - 1) : .undated
        case .challengedCode, .browser, .ticket, .appCode, .refresh, .link:
            .seen(isAfter ? drawn + 200 : drawn - 200)
        }
    }

    /// Completes what is under way, at one of the instances.
    ///
    /// - Returns: nil where it has opened what it was to open.
    func complete(isAfter: Bool = false) async throws -> Refusal? {
        let later = now + 2
        var owner = user
        if isAfter { owner = try await prepare(isAfter: true) ?? user }
        switch thing {
        case .postedCode, .challengedCode, .nativeToken, .exchangedToken, .browser:
            if case .refused(let refusal) = try await other.signIn(record(isAfter: isAfter)) { return refusal }
        case .ticket:
            let redemption = Sample.redemption(ticket: ticket.hash, session: session, reference: "abc", now: later)
            if case .refused(let refusal) = try await other.redeemTicket(redemption) { return refusal }
        case .link:
            var link = Sample.link(subject, keeper.id, now: later)
            link.provider = provider
            link.beginning = beginning(isAfter: isAfter)
            link.authenticationTime = session.authentication.time
            link.upstreamSession = upstream
            if case .refused(let refusal) = try await other.link(link) { return refusal }
        case .appCode:
            let redemption = AppCodeRedemption(
                code: code, client: Self.client, redirectURI: "https://desk.example/cb", codeChallenge: "challenge",
                sessionExpiresAt: later + 86_400, rememberedUntil: later + 600, request: Sample.request(),
                replaces: nil,
                now: later)
            guard case .redeemed = try await other.redeem(redemption) else { return .sessionGone }
        case .refresh:
            switch try await other.refresh(
                Sample.refresh(session.id, 1, of: owner, client: Self.client, expiresAt: later + 86_400, now: later))
            {
            case .rotated: return nil
            case .locked: return .locked
            default: return .sessionGone
            }
        }
        return nil
    }

    func end() async throws {
        let (later, line) = (now + 1, NotBefore(drawnAt: drawn))
        func event(_ effect: IdentityEvent.Effect) async throws {
            let event = IdentityEvent(
                subject: subject, kind: .providerSessionsRevoked, effect: effect, time: now)
            _ = try await store.take([event], line: line, now: later)
        }
        func logout(_ logout: ProviderLogout) async throws {
            let token = OneTimeUse(hash: Sample.hash(), expiresAt: later + 600)
            _ = try await store.endSessions(
                LogoutRecord(logout: logout, token: token, openedBy: now + 60, line: line, now: later))
        }
        switch ending {
        case .logoutBySession: try await logout(.session(upstream, of: nil))
        case .logoutBySubject: try await logout(.subject(subject))
        case .consentRevoked: try await event(.endsSessions(openedBy: now + 60, reauthenticate: false))
        case .hijacked: try await event(.endsSessions(openedBy: now + 60, reauthenticate: true))
        case .disabled: try await event(.locks(openedBy: now + 60, wholeUser: false))
        case .signedOutEverywhere:
            let outcome = try await store.endSessions(
                under: keeper.id, demands: Sample.demands, line: line, now: later)
            if case .refused(let refusal) = outcome { throw refusal }
        case .endedByOperator: _ = try await store.revokeSessions(of: user, except: nil, line: line, now: later)
        case .endedOfApp: try await store.draw(line, for: .app(Self.client), isNoted: true, now: later)
        case .endedOfProvider: try await store.draw(line, for: .provider(provider), isNoted: true, now: later)
        case .endedOfEverybody: try await store.draw(line, for: .everybody, isNoted: true, now: later)
        case .locked:
            let lock = Lock(cause: .operator, reason: nil, since: later, until: nil)
            #expect(try await store.lock(user, lock, line: line, now: later))
        case .unlinked:
            let identity = try #require(try await store.identities(of: user).first { $0.subject == subject })
            #expect(try await store.unlink(identity.id, of: user, line: line, now: later) == .unlinked)
        case .repointed:
            let stranger = try await store.signedIn(
                Sample.signIn(Sample.subject("stranger to \(subject.value)x"), now: later))
            _ = try await store.repoint(subject, provider: provider, to: stranger.user, line: line, now: later)
        case .erased: #expect(try await store.erase(user, line: line, now: later))
        case .merged:
            let stranger = try await store.signedIn(
                Sample.signIn(Sample.subject("stranger to \(subject.value)"), now: later)
            ).user
            let record = MergeRecord(.operator(kept: stranger, absorbed: user), line: line, now: later)
            guard case .merged = try await store.merge(record) else { throw ContractViolation.notMerged }
        }
    }

    /// Whether the ending is about what is under way at all.
    var isMeant: Bool {
        if ending == .endedOfApp { return thing.isOfApp }
        // Who links is told by their session, and the subject is nobody's.
        if thing == .link { return true }
        return !(ending.isAboutUser && thing == .ticket)
    }

    /// Whether anybody can use a session that has come of it.
    func isOpen() async throws -> Bool {
        for instance in [store, other] where try await instance.session(session.id, now: now + 2) != nil {
            return true
        }
        return false
    }
}

extension RepositoryContract {
    static let lineClauses = Ending.allCases.map { ending in
        RepositoryContract("what began before it opens nothing, and what begins behind it does: \(ending)") {
            store, other in
            var number: Int64 = 0
            for thing in UnderWay.allCases where ending != .unlinked || thing != .link && thing != .ticket {
                for phase in Phase.allCases {
                    number += 1
                    let cell = try await Cell(store, other, thing, ending, phase, number: number)
                    try await look(at: cell, phase, "\(thing), \(ending), \(phase)")
                }
            }
        }
    }

    /// Sign-ins that began before somebody was erased, and come when the subject has become somebody's again.
    static let returningClauses = ["signs in", "is linked", "is given by an operator"].map { way in
        RepositoryContract("what began before an erasure opens nothing when the subject \(way) anew") { store, other in
            let (subject, now) = (Sample.subject("returning \(way)"), Sample.now)
            let user = try await store.signedIn(Sample.signIn(subject)).user
            let keeper = Sample.session()
            let stranger = try await store.signedIn(
                Sample.signIn(Sample.subject("stranger \(way)"), session: keeper)
            ).user
            #expect(try await store.erase(user, line: NotBefore(drawnAt: (now + 1) * 1000), now: now + 1))
            switch way {
            case "signs in":
                let anew = try await store.signedIn(Sample.signIn(subject, now: now + 2))
                #expect(anew.isNewUser && anew.user != user)
            case "is linked":
                guard case .linked = try await store.link(Sample.link(subject, keeper.id, now: now + 2)) else {
                    throw ContractViolation.notLinked
                }
            default:
                _ = try await store.repoint(
                    subject, provider: "zenkey", to: stranger, line: .none, now: now + 2)
            }
            let late = Sample.signIn(subject, beginning: .seen(now * 1000), now: now + 3)
            guard case .refused = try await other.signIn(late) else {
                Issue.record("a sign-in from before the erasure has opened a session")
                return
            }
            let next = Sample.signIn(subject, now: now + 3)
            guard case .signedIn = try await other.signIn(next) else {
                Issue.record("a sign-in from behind the erasure is refused")
                return
            }
        }
    }

    /// Of two endings the one that began first may be stored last: it waits for the other's locks, and its line is the
    /// earlier one.
    static let overtakenClauses = ["erased", "unlinked", "given to somebody else"].map { way in
        RepositoryContract("what a later line bars stays barred when the identity is \(way) by an earlier one") {
            store, other in
            let (subject, now, keeper) = (Sample.subject("overtaken \(way)"), Sample.now, Sample.session())
            let user = try await store.signedIn(
                Sample.signIn(Sample.subject("keeper \(way)"), session: keeper)
            ).user
            _ = try await store.linked(Sample.link(subject, keeper.id))
            let identity = try #require(try await store.identities(of: user).first { $0.subject == subject }).id
            let stranger = try await store.signedIn(Sample.signIn(Sample.subject("stranger \(way)"))).user
            _ = try await store.revokeSessions(
                of: user, except: nil, line: NotBefore(drawnAt: (now + 5) * 1000), now: now + 5)
            let earlier = NotBefore(drawnAt: (now + 1) * 1000)
            switch way {
            case "erased": #expect(try await store.erase(user, line: earlier, now: now + 6))
            case "unlinked":
                guard case .unlinked = try await store.unlink(identity, of: user, line: earlier, now: now + 6) else {
                    throw ContractViolation.notLinked
                }
            default:
                _ = try await store.repoint(subject, provider: "zenkey", to: stranger, line: earlier, now: now + 6)
            }
            let late = Sample.signIn(subject, beginning: .seen((now + 3) * 1000), now: now + 7)
            guard case .refused = try await other.signIn(late) else {
                Issue.record("a sign-in from before the later line has opened a session")
                return
            }
        }
    }

    private static func look(at cell: Cell, _ phase: Phase, _ name: Comment) async throws {
        // The session under which somebody links ends with the user's others, and so does the way to link.
        let opensNone = cell.thing == .link
        switch phase {
        case .over:
            #expect(try await cell.complete() == nil, name)
            try await cell.end()
            if !opensNone { #expect(try await cell.isOpen() == !cell.isMeant, name) }
        case .before:
            try await cell.end()
            let refusal = try await cell.complete()
            #expect((refusal == nil) == !cell.isMeant, name)
            if !opensNone { #expect(try await cell.isOpen() == !cell.isMeant, name) }
        case .after:
            try await cell.end()
            let refusal = try await cell.completeAfter()
            #expect(refusal == cell.refusalAfter, name)
        case .during:
            let outcomes = await both({ try await cell.end() }, { _ = try await cell.complete() })
            for outcome in outcomes { try outcome.get() }
            if cell.isMeant, !opensNone { #expect(try await !cell.isOpen(), name) }
        }
    }
}

extension Cell {
    /// What is said to somebody who begins anew behind the ending.
    fileprivate var refusalAfter: Refusal? {
        if thing == .link {
            // The session to link under was another one's, unless it ended with all the user's.
            switch ending {
            case .signedOutEverywhere, .endedByOperator, .locked, .erased, .merged, .endedOfEverybody:
                return .sessionGone
            case .repointed: return .identityInUse
            default: return nil
            }
        }
        guard ending.locks, thing != .ticket else { return nil }
        return .locked
    }

    fileprivate func completeAfter() async throws -> Refusal? {
        // What is to be refreshed or redeemed has to be opened first, which a lock refuses already.
        if thing.isSession, ending.locks { return .locked }
        if thing == .ticket, ending == .repointed { return nil }
        return try await complete(isAfter: true)
    }
}
