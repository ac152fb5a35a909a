internal import Accounts
import Testing

extension Sample {
    static func provisioning(
        _ kind: ProvisioningRequest.Kind = .signUp, _ username: String? = "jane", email: String? = "jane@example.com"
    ) -> ProvisioningRequest {
        ProvisioningRequest(kind, username: username, email: email, displayName: nil)
    }

    static func name() -> DirectoryName {
        let hash = Sample.hash()
        return DirectoryName(externalID: "x\(hash.words.0)", hash: hash)
    }
}

extension AccountRepository {
    /// Orders and begins.
    func begun(
        _ provisioning: ProvisioningRequest, name: DirectoryName = Sample.name(), at provider: String = "zenkey",
        mailsPerHour: Int64 = 3, now: Int64 = Sample.now
    ) async throws -> DirectoryTask {
        let order = DirectoryOrder(provisioning, provider: provider, url: "https://api.example")
        #expect(try await self.order(order, maximum: 100, now: now))
        let message = try #require(try await takeDueMessages(limit: 1, leaseSeconds: 60, now: now).first)
        let task = try await begin(
            message, name: name, reference: "reference", limits: DirectoryLimits(mailsPerHour: mailsPerHour), now: now)
        try await settle(message, .done, now: now)
        return task
    }

    /// The account of a sign-up.
    func signedUp(
        _ provisioning: ProvisioningRequest = Sample.provisioning(), name: DirectoryName = Sample.name(),
        at provider: String = "zenkey",
        now: Int64 = Sample.now
    ) async throws -> DirectoryAccount {
        guard case .mail(let account) = try await begun(provisioning, name: name, at: provider, now: now) else {
            throw ContractViolation.notSignedIn
        }
        return account
    }

    /// The same, once the directory has it.
    func made(_ account: DirectoryAccount) async throws -> DirectoryAccount {
        let hash = Sample.hash()
        let id = "d\(hash.words.0)"
        #expect(try await note(id, hash: hash, of: account, .directoryMailed, now: Sample.now))
        return DirectoryAccount(
            user: account.user, provider: account.provider, externalID: account.externalID, directoryID: id)
    }

    func signIn(
        by key: PersonKey, as subject: String, at provider: String = "zenkey"
    ) async throws -> SignInOutcome {
        var record = Sample.signIn(Sample.subject(subject), registration: .automatic(reference: "reference-\(subject)"))
        record.draft.personKey = key
        record.draft.provider = provider
        return try await signIn(record)
    }
}

extension RepositoryContract {
    static let directoryClauses = [
        RepositoryContract("a sign-up under an unknown name makes a user, and one under a known name none") { store in
            let name = Sample.name()
            let first = try await store.made(try await store.signedUp(name: name))
            _ = try await store.signIn(by: .externalID(name.hash), as: "1")
            let user = try #require(try await store.user(first.user))
            #expect(user.profile.own["username"] == "jane" && user.profile.own["email"] == "jane@example.com")
            for provisioning in [
                Sample.provisioning(), Sample.provisioning(email: "thief@example.com"),
                Sample.provisioning(.signUp, "JANE"),
            ] {
                let again = try await store.begun(provisioning, mailsPerHour: 9)
                #expect(again == .mail(first))
            }
            #expect(try await store.user(first.user) == user)
            #expect(try await store.auditTrail() == [.userSignedUp, .directoryMailed, .directoryJoined])
        },
        RepositoryContract("a name that a stranger has signed up by is its owner's who proves it first") { store in
            let (stranger, owner) = (Sample.name(), Sample.name())
            let first = try await store.made(
                try await store.signedUp(Sample.provisioning(email: "thief@example.com"), name: stranger))
            let second = try await store.made(try await store.signedUp(name: owner))
            #expect(first.user != second.user)
            // Nobody knows which of them is meant.
            #expect(try await store.begun(Sample.provisioning(.recovery, email: nil)) == .nothing)
            _ = try await store.signIn(by: .externalID(owner.hash), as: "1")
            for provisioning in [
                Sample.provisioning(.recovery, email: nil), Sample.provisioning(email: "thief@example.com"),
            ] {
                let again = try await store.begun(provisioning, mailsPerHour: 9)
                #expect(again == .mail(second))
            }
            // Somebody who proves that address later has an account, and not the name.
            _ = try await store.signIn(by: .externalID(stranger.hash), as: "2")
            #expect(try await store.begun(Sample.provisioning(.recovery, email: nil), mailsPerHour: 9) == .mail(second))
        },
        RepositoryContract("an account that is still to be made is told no other address than its own") { store in
            let first = try await store.signedUp()
            let other = try await store.signedUp(Sample.provisioning(email: "thief@example.com"))
            #expect(other.user != first.user)
            #expect(try await store.begun(Sample.provisioning(.recovery)) == .nothing)
            #expect(try await store.begun(Sample.provisioning(email: "JANE@example.com")) == .mail(first))
        },
        RepositoryContract("a recovery finds who has that name or address, and nobody else") { store in
            let account = try await store.made(try await store.signedUp())
            #expect(try await store.begun(Sample.provisioning(.recovery, "Jane", email: nil)) == .mail(account))
            #expect(
                try await store.begun(Sample.provisioning(.recovery, nil, email: "JANE@example.com")) == .mail(account))
            #expect(try await store.begun(Sample.provisioning(.recovery, "john", email: nil)) == .nothing)
            #expect(try await store.begun(Sample.provisioning(.recovery, "jane@example.com", email: nil)) == .nothing)
            #expect(try await store.begun(Sample.provisioning(.recovery, "jane", email: nil), at: "other") == .nothing)
            #expect(try await store.auditTrail() == [.userSignedUp, .directoryMailed])
        },
        RepositoryContract("of several with an address the one who has signed in is found, else the newest") { store in
            let name = Sample.name()
            let first = try await store.made(
                try await store.signedUp(Sample.provisioning(.signUp, "first"), name: name))
            let second = try await store.made(
                try await store.signedUp(Sample.provisioning(.signUp, "second"), now: Sample.now + 1))
            let byEmail = Sample.provisioning(.recovery, nil)
            #expect(try await store.begun(byEmail, now: Sample.now + 2) == .mail(second))
            _ = try await store.signIn(by: .externalID(name.hash), as: "1")
            #expect(try await store.begun(byEmail, mailsPerHour: 4, now: Sample.now + 3) == .mail(first))
        },
        RepositoryContract("one recipient gets so many mails in an hour, by whatever names and spellings") { store in
            let spellings = ["jane@example.com", "JANE@Example.com", "jane+1@example.com", "jane+2@EXAMPLE.com"]
            var mailed = 0
            for number in 0..<59 {
                let provisioning = Sample.provisioning(
                    .signUp, "name \(number)", email: spellings[number % spellings.count])
                let at = number % 2 == 0 ? "zenkey" : "other"
                if try await store.begun(provisioning, at: at) != .nothing { mailed += 1 }
            }
            #expect(mailed == 3)
            #expect(try await store.auditTrail().count { $0 == .userSignedUp } == 3)
            #expect(try await store.begun(Sample.provisioning(.signUp, "john", email: "john@example.com")) != .nothing)
            #expect(try await store.begun(Sample.provisioning(.signUp, "late"), now: Sample.now + 3600) != .nothing)
        },
        RepositoryContract("one name gets so many mails in an hour, and retries count for none") { store in
            _ = try await store.made(try await store.signedUp())
            #expect(try await store.begun(Sample.provisioning(), mailsPerHour: 2) != .nothing)
            #expect(try await store.begun(Sample.provisioning(), mailsPerHour: 2) == .nothing)
            #expect(
                try await store.begun(Sample.provisioning(.recovery), mailsPerHour: 2, now: Sample.now + 3599)
                    == .nothing)
            #expect(
                try await store.begun(Sample.provisioning(.recovery), mailsPerHour: 2, now: Sample.now + 3600)
                    != .nothing)
            let order = DirectoryOrder(Sample.provisioning(), provider: "zenkey", url: "u")
            #expect(try await store.order(order, maximum: 1, now: Sample.now + 3600))
            for attempt in 0..<4 {
                let now = Sample.now + 3600 + 60 * Int64(attempt)
                let message = try #require(try await store.takeDueMessages(limit: 1, leaseSeconds: 60, now: now).first)
                let task = try await store.begin(
                    message, name: Sample.name(), reference: "r", limits: DirectoryLimits(mailsPerHour: 2), now: now)
                #expect(task != .nothing, "\(attempt)")
            }
        },
        RepositoryContract("only so many requests wait, and what else waits does not count") { store in
            let user = try await store.signedIn(Sample.keeping()).user
            #expect(try await store.erase(user, now: Sample.now))
            let order = DirectoryOrder(Sample.provisioning(), provider: "zenkey", url: "u")
            for isWritten in [true, true, false] {
                #expect(try await store.order(order, maximum: 2, now: Sample.now) == isWritten)
            }
            #expect(try await store.outboxStatus().pending == 3)
        },
        RepositoryContract(
            "a sender of many mails waits behind others, and holds a part of the queue alone", floods),
        RepositoryContract("a link at once is for a new name, and no mail ever follows it") { store in
            let order = DirectoryOrder(Sample.provisioning(), provider: "zenkey", url: "u")
            func open() async throws -> DirectoryOpening {
                try await store.openAccount(order, name: Sample.name(), reference: "r", now: Sample.now)
            }
            guard case .account(let account) = try await open() else { throw ContractViolation.notSignedIn }
            #expect(try await open() == .taken)
            // Neither who has that address nor who wants that name is led into it.
            #expect(try await store.begun(Sample.provisioning(.recovery, nil)) == .nothing)
            #expect(try await store.begun(Sample.provisioning(.recovery)) == .nothing)
            let other = try await store.signedUp(Sample.provisioning(.signUp, nil))
            #expect(other.user != account.user)
            try await store.discard(account, now: Sample.now)
            #expect(try await store.user(account.user) == nil)
            guard case .account(let next) = try await open() else { throw ContractViolation.notSignedIn }
            // By mail the same name is for another one, until somebody signs in by it.
            #expect(try await store.signedUp().user != next.user)
        },
        RepositoryContract("the account of a session's user is made once, under its demands") { store in
            let record = Sample.signIn(Sample.subject("1"))
            let user = try await store.signedIn(record).user
            func open(_ demands: SensitiveDemands, now: Int64 = Sample.now) async throws -> DirectoryOpening {
                try await store.openAccount(
                    under: record.session.id, demands: demands, provider: "zenkey", name: Sample.name(), now: now)
            }
            #expect(
                try await open(Sample.usualDemands, now: Sample.now + 301)
                    == .refused(.authenticationTooOld(maximumAgeSeconds: 300)))
            guard case .account(let account) = try await open(Sample.usualDemands) else {
                throw ContractViolation.notSignedIn
            }
            #expect(account.user == user)
            #expect(try await open(Sample.usualDemands) == .account(account))
            #expect(try await store.revokeSession(record.session.id, now: Sample.now))
            #expect(try await open(Sample.usualDemands) == .refused(.sessionGone))
        },
    ]

    static let directoryJoinClauses = [
        RepositoryContract("the first sign-in by an account is its user's, with an identity as good as any") { store in
            let name = Sample.name()
            let account = try await store.signedUp(name: name)
            guard case .signedIn(let first) = try await store.signIn(by: .externalID(name.hash), as: "1") else {
                throw ContractViolation.notSignedIn
            }
            #expect(first.user == account.user && first.isNewUser)
            #expect(try await store.identities(of: first.user).map(\.origin) == [.signIn])
            guard case .signedIn(let second) = try await store.signIn(by: .externalID(name.hash), as: "1") else {
                throw ContractViolation.notSignedIn
            }
            #expect(second.user == account.user && !second.isNewUser)
            #expect(try await store.auditTrail() == [.userSignedUp, .directoryJoined])
        },
        RepositoryContract("a second subject of one account is refused while the first is there") { store in
            let name = Sample.name()
            let account = try await store.signedUp(name: name)
            _ = try await store.signIn(by: .externalID(name.hash), as: "1")
            #expect(try await store.signIn(by: .externalID(name.hash), as: "2") == .refused(.migrationConflict))
            #expect(try await store.identities(of: account.user).count == 1)
            #expect(try await store.auditTrail().last == .migrationConflict)
        },
        RepositoryContract("nobody's account, and that of another provider, join nobody") { store in
            let name = Sample.name()
            let account = try await store.signedUp(name: name, at: "other")
            for (key, subject) in [
                (PersonKey.externalID(name.hash), "1"), (.directoryID(name.hash), "2"),
                (.externalID(Sample.hash()), "3"), (.crossClient(name.hash), "4"),
            ] {
                guard case .signedIn(let signedIn) = try await store.signIn(by: key, as: subject) else {
                    throw ContractViolation.notSignedIn
                }
                #expect(signedIn.isNewUser && signedIn.user != account.user)
            }
            #expect(try await store.identities(of: account.user).isEmpty)
        },
        RepositoryContract("an account is found by the directory's name for it, which no two have") { store in
            let first = try await store.signedUp()
            let second = try await store.signedUp(Sample.provisioning(.signUp, "second"))
            let hash = Sample.hash()
            #expect(try await store.note("d-1", hash: hash, of: first, .directoryMailed, now: Sample.now))
            #expect(try await !store.note("d-1", hash: hash, of: second, .directoryMailed, now: Sample.now))
            guard case .signedIn(let signedIn) = try await store.signIn(by: .directoryID(hash), as: "1") else {
                throw ContractViolation.notSignedIn
            }
            #expect(signedIn.user == first.user)
            guard case .mail(let known) = try await store.begun(Sample.provisioning()) else {
                throw ContractViolation.notSignedIn
            }
            #expect(known.directoryID == "d-1")
        },
        RepositoryContract("the account of somebody who signs in otherwise is joined by a link") { store in
            let record = Sample.signIn(Sample.subject("1"))
            let user = try await store.signedIn(record).user
            let name = Sample.name()
            _ = try await store.openAccount(
                under: record.session.id, demands: Sample.demands, provider: "zenkey", name: name, now: Sample.now)
            guard case .signedIn(let joined) = try await store.signIn(by: .externalID(name.hash), as: "2") else {
                throw ContractViolation.notSignedIn
            }
            #expect(joined.user == user && !joined.isNewUser)
            #expect(try await store.identities(of: user).map(\.origin) == [.signIn, .link])
        },
        RepositoryContract("who has never signed in is forgotten in time, and who has is not") { store in
            let name = Sample.name()
            let joined = try await store.signedUp(Sample.provisioning(.signUp, "joined"), name: name)
            _ = try await store.signIn(by: .externalID(name.hash), as: "1")
            let old = try await store.signedUp(Sample.provisioning(.signUp, "old"))
            let fresh = try await store.signedUp(Sample.provisioning(.signUp, "fresh"), now: Sample.now + 100)
            let record = Sample.signIn(Sample.subject("2"), registration: .automatic(reference: "other"))
            let linked = try await store.signedIn(record).user
            _ = try await store.openAccount(
                under: record.session.id, demands: Sample.demands, provider: "zenkey", name: Sample.name(),
                now: Sample.now)
            func sweep(_ time: Int64, limit: Int = 10) async throws -> Int {
                try await store.removeUnfinished(of: "zenkey", before: time, limit: limit, now: time + 1000)
            }
            #expect(try await store.removeUnfinished(of: "other", before: .max, limit: 9, now: Sample.now) == 0)
            #expect(try await sweep(Sample.now - 1) == 0)
            #expect(try await sweep(Sample.now, limit: 1) == 1)
            #expect(try await sweep(Sample.now) == 1)
            #expect(try await store.user(old.user) == nil)
            for user in [joined.user, fresh.user, linked] { #expect(try await store.user(user) != nil) }
            #expect(try await sweep(Sample.now + 100) == 1)
            #expect(try await sweep(.max - 2000) == 0)
            #expect(try await store.user(joined.user) != nil)
        },
    ]

    @Sendable private static func floods(_ store: any AccountRepository) async throws {
        func order(_ name: String, _ network: NetworkHash) async throws -> Bool {
            let provisioning = Sample.provisioning(.signUp, name, email: "\(name)@example.com")
            let order = DirectoryOrder(provisioning, provider: "zenkey", url: "u", network: network)
            return try await store.order(order, maximum: 40, now: Sample.now)
        }
        func taken(_ count: Int) async throws -> [String] {
            let messages = try await store.takeDueMessages(limit: count, leaseSeconds: 600, now: Sample.now)
            return messages.compactMap {
                if case .directory(let provisioning) = $0.content { provisioning.username } else { nil }
            }
            .sorted()
        }
        for number in 0..<25 {
            // Other addresses of the same /48 make no difference.
            let isWritten = try await order("flood\(number)", NetworkHash(narrow: Int64(number), wide: 8))
            #expect(isWritten == (number < 20))
        }
        for number in 0..<3 {
            let isWritten = try await order("other\(number)", NetworkHash(narrow: 1, wide: 20 + Int64(number)))
            #expect(isWritten)
        }
        let first = try await taken(4)
        #expect(first == ["flood0", "other0", "other1", "other2"])
        let second = try await taken(3)
        #expect(second == ["flood1", "flood2", "flood3"])
        let rest = try await taken(100)
        #expect(rest.count == 16)
    }
}
