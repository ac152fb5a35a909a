import Accounts
import Testing

/// How the session under which something is to be done shows that its user authenticated.
private enum ShownForAct: CaseIterable {
    case told, toldLongAgo, nothing, challenge

    func session() -> NewSession {
        var session = Sample.session()
        switch self {
        case .told: break
        case .toldLongAgo:
            session.authentication.time = Sample.now - 301
            session.authenticatedAt = Sample.now - 301
        case .nothing, .challenge:
            // What an earlier version stored in the place of a time that nobody told.
            session.authentication.time = nil
            session.authenticatedAt = Sample.now - 5
            if self == .challenge { session.challengedAt = Sample.now - 5 }
        }
        return session
    }

    func isEnough(for act: SensitiveAct) -> Bool {
        switch self {
        case .told: true
        case .toldLongAgo, .nothing: false
        case .challenge:
            switch act {
            case .signOutOthers, .unlink, .unlinkItself, .erase: true
            case .link, .merge, .bindCredential, .changeContact, .changeUsername: false
            }
        }
    }
}

/// A user with two identities, each with a session; the second identity was linked.
private struct TwoIdentities {
    let first: IdentityID
    let second: IdentityID
    /// The second identity's.
    let session: SessionID

    init(_ store: any AccountRepository, _ name: String, _ shown: ShownForAct, isOnProbation: Bool) async throws {
        let before = Sample.now - 90_000
        let owner = Sample.session()
        first = try await store.signedIn(
            Sample.signIn(Sample.subject("first \(name)"), session: owner, now: before)
        ).identity
        let linked = try await store.linked(
            Sample.link(
                Sample.subject("second \(name)"), owner.id, now: isOnProbation ? Sample.now - 10 : before))
        second = linked.identity.id
        let session = shown.session()
        _ = try await store.signedIn(Sample.signIn(Sample.subject("second \(name)"), session: session))
        self.session = session.id
    }

    /// Does an act under the second identity's session. Each act that there is has its call here.
    ///
    /// - Throws: the refusal.
    func perform(_ act: SensitiveAct, _ name: String, _ store: any AccountRepository) async throws {
        let (demands, now) = (Sample.usualDemands, Sample.now)
        switch act {
        case .signOutOthers: try await store.ended(nil, under: session, demands: demands, now: now)
        case .unlink: try await store.unlinked(first, under: session, demands: demands, now: now)
        case .unlinkItself: try await store.unlinked(second, under: session, demands: demands, now: now)
        case .erase: try await store.erased(under: session, demands: demands, now: now)
        case .link:
            try await store.linked(Sample.link(Sample.subject("third \(name)"), session, demands: demands, now: now))
        case .merge:
            let another = Sample.session()
            _ = try await store.signedIn(Sample.signIn(Sample.subject("another \(name)"), session: another))
            try await store.merged(session, another.id, demands: demands)
        case .bindCredential:
            let opening = try await store.openAccount(
                under: session, demands: demands, provider: "zenkey", name: Sample.name(), now: now)
            if case .refused(let refusal) = opening { throw refusal }
        case .changeContact:
            for name in ["email", "phone_number"] {
                try await store.edited(under: session, [ProfileEdit(name, "else")], demands: demands, now: now)
            }
        case .changeUsername:
            try await store.edited(under: session, [ProfileEdit("username", name)], demands: demands, now: now)
        }
    }
}

extension RepositoryContract {
    static let actClauses = SensitiveAct.allCases.map { act in
        RepositoryContract("the transaction that does it decides of \(act), by what is shown and by whom") { store in
            for shown in ShownForAct.allCases {
                for isOnProbation in [false, true] {
                    let name = "\(act) \(shown) \(isOnProbation)"
                    let user = try await TwoIdentities(store, name, shown, isOnProbation: isOnProbation)
                    let expected: Refusal? =
                        if !shown.isEnough(for: act) {
                            .authenticationTooOld(maximumAgeSeconds: 300)
                        } else if isOnProbation, act != .unlinkItself {
                            .identityTooNew(waitSeconds: 86_390)
                        } else {
                            nil
                        }
                    do {
                        try await user.perform(act, name, store)
                        #expect(expected == nil, "\(name)")
                    } catch let refusal as Refusal {
                        #expect(refusal == expected, "\(name)")
                    }
                }
            }
        }
    }
}
