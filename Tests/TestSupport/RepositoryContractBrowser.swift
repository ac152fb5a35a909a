public import Accounts
import Syntax
import Testing

extension RepositoryContract {
    static let browserClauses = [
        RepositoryContract("a sign-in that has begun is found until it ends, and of all who end it one does") { store in
            let pending = Sample.pending()
            #expect(try await store.beginSignIn(pending, instead: nil, now: Sample.now))
            #expect(try await store.pendingSignIn(pending.handle, now: Sample.now) == pending)
            #expect(try await store.pendingSignIn(Sample.hash(), now: Sample.now) == nil)
            let ended = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await store.endPendingSignIn(pending.handle, now: Sample.now) }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(ended == 1)
            #expect(try await store.pendingSignIn(pending.handle, now: Sample.now) == nil)
        },
        RepositoryContract("a sign-in that has begun expires, and is swept then") { store in
            let pending = Sample.pending()
            _ = try await store.beginSignIn(pending, instead: nil, now: Sample.now)
            #expect(try await store.pendingSignIn(pending.handle, now: pending.expiresAt - 1) != nil)
            #expect(try await store.pendingSignIn(pending.handle, now: pending.expiresAt) == nil)
            #expect(try await !store.endPendingSignIn(pending.handle, now: pending.expiresAt))
            #expect(try await store.sweepExpired(now: pending.expiresAt, limit: 10) == 1)
        },
        RepositoryContract("a sign-in goes on under another handle once, and the first is gone") { store in
            let (first, second) = (Sample.pending(), Sample.pending())
            _ = try await store.beginSignIn(first, instead: nil, now: Sample.now)
            #expect(try await store.beginSignIn(second, instead: first.handle, now: Sample.now))
            #expect(try await store.pendingSignIn(first.handle, now: Sample.now) == nil)
            #expect(try await store.pendingSignIn(second.handle, now: Sample.now) == second)
            let third = Sample.pending()
            #expect(try await !store.beginSignIn(third, instead: first.handle, now: Sample.now))
            #expect(try await store.pendingSignIn(third.handle, now: Sample.now) == nil)
        },
        RepositoryContract("of more sign-ins than are kept the oldest give way") { store in
            let begun = (0..<5).map { _ in Sample.pending() }
            for pending in begun { _ = try await store.beginSignIn(pending, instead: nil, now: Sample.now) }
            let bounds = PendingBounds(rows: 3, bytes: 1 << 20, bytesPerHolder: 1 << 20)
            #expect(try await store.boundSignIns(bounds) == 2)
            for (index, pending) in begun.enumerated() {
                #expect(try await (store.pendingSignIn(pending.handle, now: Sample.now) != nil) == (index >= 2))
            }
        },
        RepositoryContract("one address holds only its share of the bytes, and the others lose nothing by it") {
            store in
            let stranger = try store.networkHash(of: IPAddress(v4: 0xC000_0201))
            let other = try store.networkHash(of: IPAddress(v4: 0xC000_0202))
            let old = Sample.pending(network: other, bytes: 3000)
            _ = try await store.beginSignIn(old, instead: nil, now: Sample.now)
            let flood = (0..<10).map { _ in Sample.pending(network: stranger, bytes: 12_000) }
            for pending in flood { _ = try await store.beginSignIn(pending, instead: nil, now: Sample.now) }
            #expect(
                try await store.boundSignIns(PendingBounds(rows: 100, bytes: 1 << 20, bytesPerHolder: 40_000)) == 7)
            #expect(try await store.pendingSignIn(old.handle, now: Sample.now) == old)
            for (index, pending) in flood.enumerated() {
                #expect(try await (store.pendingSignIn(pending.handle, now: Sample.now) != nil) == (index >= 7))
            }
        },
        RepositoryContract("of too many bytes the oldest of the largest holder give way, also to older ones") { store in
            let many = try store.networkHash(of: IPAddress(v4: 0xC000_0201))
            let few = try store.networkHash(of: IPAddress(v4: 0xC000_0202))
            let first = Sample.pending(network: few, bytes: 1000)
            let flood = (0..<6).map { _ in Sample.pending(network: many, bytes: 1000) }
            for pending in [first] + flood { _ = try await store.beginSignIn(pending, instead: nil, now: Sample.now) }
            #expect(try await store.boundSignIns(PendingBounds(rows: 100, bytes: 4000, bytesPerHolder: 1 << 20)) == 4)
            #expect(try await store.pendingSignIn(first.handle, now: Sample.now) != nil)
            for (index, pending) in flood.enumerated() {
                #expect(try await (store.pendingSignIn(pending.handle, now: Sample.now) != nil) == (index >= 4))
            }
        },
        RepositoryContract("networks of IPv6 share what their /48 may hold, and the largest of them pays") { store in
            let prefix: UInt64 = 0x2001_0DB8_0001_0000
            let neighbour = try store.networkHash(of: IPAddress(v6: prefix, 1))
            let flooding = try store.networkHash(of: IPAddress(v6: prefix + 1, 1))
            #expect(neighbour.wide == flooding.wide && neighbour.narrow != flooding.narrow)
            #expect(try store.networkHash(of: IPAddress(v6: prefix + 1, 99)) == flooding)
            #expect(try store.networkHash(of: IPAddress(v6: prefix + 0x1_0000, 1)).wide != flooding.wide)
            let mapped = IPAddress(v6: 0, 0xFFFF_C000_0201)
            let unmapped = try store.networkHash(of: IPAddress(v4: 0xC000_0201))
            #expect(try store.networkHash(of: mapped) == unmapped)
            let old = Sample.pending(network: neighbour, bytes: 1000)
            let flood = (0..<6).map { _ in Sample.pending(network: flooding, bytes: 1000) }
            for pending in [old] + flood { _ = try await store.beginSignIn(pending, instead: nil, now: Sample.now) }
            #expect(
                try await store.boundSignIns(PendingBounds(rows: 100, bytes: 1 << 20, bytesPerHolder: 4000)) == 4)
            #expect(try await store.pendingSignIn(old.handle, now: Sample.now) != nil)
        },
        RepositoryContract("a session that an app's code stands for lasts only once the code is redeemed") { store in
            let (record, code) = Sample.appSignIn()
            _ = try await store.signedIn(record)
            #expect(try await store.session(record.session.id, now: code.expiresAt) == nil)
            let redemption = Sample.redemption(of: code)
            guard case .redeemed(let session, let nonce) = try await store.redeem(redemption) else {
                Issue.record("the code is not redeemed")
                return
            }
            #expect(session.id == record.session.id && session.scope == "openid email" && nonce == "app-nonce")
            #expect(session.expiresAt == redemption.sessionExpiresAt)
            #expect(try await store.session(session.id, now: redemption.sessionExpiresAt - 1) == session)
        },
        RepositoryContract("an app's code is good for nobody else, nowhere else, and not for long") { store in
            let (record, code) = Sample.appSignIn()
            _ = try await store.signedIn(record)
            for change: (inout AppCodeRedemption) -> Void in [
                { $0.code = Sample.hash() }, { $0.client = "other-app" },
                { $0.redirectURI = "https://acme.example/cb/" },
                { $0.codeChallenge = "other" }, { $0.now = code.expiresAt },
            ] {
                var redemption = Sample.redemption(of: code)
                change(&redemption)
                #expect(try await store.redeem(redemption) == .refused)
            }
            #expect(try await store.session(record.session.id, now: Sample.now) != nil)
            guard case .redeemed = try await store.redeem(Sample.redemption(of: code)) else {
                Issue.record("what was refused has used the code up")
                return
            }
        },
        RepositoryContract("an app's code that is redeemed again ends its session, and with a wrong verifier nothing") {
            store in
            let (record, code) = Sample.appSignIn()
            _ = try await store.signedIn(record)
            _ = try await store.redeem(Sample.redemption(of: code))
            var stolen = Sample.redemption(of: code)
            stolen.codeChallenge = "other"
            #expect(try await store.redeem(stolen) == .refused)
            #expect(try await store.session(record.session.id, now: Sample.now) != nil)
            #expect(try await store.redeem(Sample.redemption(of: code)) == .reused)
            #expect(try await store.session(record.session.id, now: Sample.now) == nil)
            #expect(try await store.auditTrail().last == .appCodeReused)
        },
        RepositoryContract(
            "an app's code whose answer was handed over waits for the same request alone"
        ) {
            store in
            let (record, code) = Sample.appSignIn()
            _ = try await store.signedIn(record)
            var redemption = Sample.redemption(of: code)
            _ = try await store.redeem(redemption)
            try await store.note(.taken, of: code.hash)
            redemption.mayWait = true
            #expect(try await store.redeem(redemption) == .handedOver)
            #expect(try await store.session(record.session.id, now: Sample.now) != nil)
            try await store.note(.lost, of: code.hash)
            guard case .redeemed(let session, _) = try await store.redeem(redemption) else {
                Issue.record("a lost answer is not given again")
                return
            }
            #expect(session.id == record.session.id)
            try await store.note(.taken, of: code.hash)
            var other = Sample.redemption(of: code)
            other.mayWait = true
            #expect(try await store.redeem(other) == .reused)
            #expect(try await store.session(record.session.id, now: Sample.now) == nil)
        },
        RepositoryContract("an app's code that is redeemed ends the session before, and one that is refused does not") {
            store in
            let (before, former) = Sample.appSignIn()
            _ = try await store.signedIn(before)
            _ = try await store.redeem(Sample.redemption(of: former))
            let (record, code) = Sample.appSignIn("2")
            _ = try await store.signedIn(record)
            var redemption = Sample.redemption(of: code)
            redemption.replaces = before.session.id
            var wrong = redemption
            wrong.codeChallenge = "other"
            #expect(try await store.redeem(wrong) == .refused)
            #expect(try await store.session(before.session.id, now: Sample.now) != nil)
            guard case .redeemed = try await store.redeem(redemption) else {
                Issue.record("the code is refused")
                return
            }
            #expect(try await store.session(before.session.id, now: Sample.now) == nil)
            #expect(try await store.session(record.session.id, now: Sample.now) != nil)
        },
        RepositoryContract("of all who redeem an app's code at once at most one gets the session") { store in
            let (record, code) = Sample.appSignIn()
            _ = try await store.signedIn(record)
            let outcomes = try await withThrowingTaskGroup(of: AppCodeOutcome.self) { group in
                for _ in 0..<8 { group.addTask { try await store.redeem(Sample.redemption(of: code)) } }
                return try await group.reduce(into: [AppCodeOutcome]()) { $0.append($1) }
            }
            #expect(outcomes.count { if case .redeemed = $0 { true } else { false } } == 1)
            #expect(try await store.session(record.session.id, now: Sample.now) == nil)
        },
        RepositoryContract("an app's session is refreshed by that app only, and any other by no app") { store in
            let (record, code) = Sample.appSignIn()
            let user = try await store.signedIn(record).user
            _ = try await store.redeem(Sample.redemption(of: code))
            for client in [nil, "other-app"] {
                let record = Sample.refresh(record.session.id, 1, of: user, client: client)
                #expect(try await store.refresh(record) == .refused)
            }
            guard
                case .rotated = try await store.refresh(
                    Sample.refresh(record.session.id, 1, of: user, client: "acme-ios"))
            else {
                Issue.record("the app's own session is not refreshed")
                return
            }
            let posted = Sample.session()
            let other = try await store.signedIn(Sample.signIn(Sample.subject("2"), session: posted)).user
            let refused = Sample.refresh(posted.id, 1, of: other, client: posted.client)
            #expect(try await store.refresh(refused) == .refused)
        },
        RepositoryContract("an app's code of a session that has ended is good for nothing") { store in
            let (record, code) = Sample.appSignIn()
            _ = try await store.signedIn(record)
            #expect(try await store.revokeSession(record.session.id, now: Sample.now))
            #expect(try await store.redeem(Sample.redemption(of: code)) == .refused)
        },
    ]
}

extension Sample {
    public static func pending(network: NetworkHash = .none, bytes: Int = 3) -> PendingSignIn {
        PendingSignIn(
            handle: hash(), browser: hash(), content: Array(repeating: 1, count: bytes), expiresAt: now + 600,
            network: network)
    }

    /// A sign-in for an app, whose code is good for a minute.
    static func appSignIn(_ subject: String = "1") -> (SignInRecord, NewAppCode) {
        let code = NewAppCode(
            hash: hash(), redirectURI: "https://acme.example/cb", codeChallenge: "challenge", nonce: "app-nonce",
            expiresAt: now + 60, consent: nil)
        var record = signIn(Sample.subject(subject), session: session(expiresAt: code.expiresAt))
        record.draft.session.client = "acme-ios"
        record.draft.session.scope = "openid email"
        record.draft.appCode = code
        return (record, code)
    }

    static func redemption(
        of code: NewAppCode, in request: RequestDigest = request(), now: Int64 = now
    ) -> AppCodeRedemption {
        AppCodeRedemption(
            code: code.hash, client: "acme-ios", redirectURI: code.redirectURI, codeChallenge: code.codeChallenge,
            sessionExpiresAt: now + 86_400, rememberedUntil: now + 3600, request: request, replaces: nil,
            now: now)
    }
}
