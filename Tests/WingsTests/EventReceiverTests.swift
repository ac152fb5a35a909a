import Accounts
import HTTPClient
import JSON
import Providers
import SignIn
import Syntax
import Telemetry
import TestSupport
import Testing

@testable import Wings

extension EventReceiving {
    static func sample(_ dialect: EventDialect) throws -> EventReceiving {
        let sender: Sender =
            switch dialect {
            case .apple: .apple
            case .facebook: .facebook
            case .risc:
                .risc(
                    configuration: try EndpointURL(
                        SigningProvider().riscConfigurationURL, allowLoopbackHTTP: false))
            }
        return EventReceiving(sender, maximumAgeSeconds: 7 * 86_400)
    }
}

extension SignInStage {
    /// Where the provider tells of events.
    convenience init(telling dialect: EventDialect, others: [ProviderConfiguration] = []) async throws {
        let receiving = try EventReceiving.sample(dialect)
        try await self.init(others: others) {
            $0.issuerSource = .configured(issuer: "https://carrier.example")
            $0.events = receiving
        }
    }

    /// What comes of a message: an error, or what is told.
    func taken(_ token: String, at other: Provider? = nil) async -> Result<EventReceiver.Receipt, ServiceError> {
        do throws(ServiceError) {
            return .success(try await eventReceiver.take(token: token, at: other ?? provider, in: .unobserved))
        } catch {
            return .failure(error)
        }
    }

    func taken(
        request: String, as kind: ProviderEvent.Kind = .deauthorized
    ) async -> Result<EventReceiver.Receipt, ServiceError> {
        do throws(ServiceError) {
            return .success(try await eventReceiver.take(signedRequest: request, as: kind, at: provider))
        } catch {
            return .failure(error)
        }
    }

    /// The notification of an event, with an identifier of its own.
    func notification(
        _ type: String, at time: Int64 = SigningProvider.now, subject: JSONValue = "310260-subject"
    ) throws -> String {
        try carrier.notification {
            $0.claims[setting: "jti"] = .string("\(type) \(time)")
            $0.claims[setting: "iat"] = .integer(now)
            $0.claims[setting: "events"] = SigningProvider.notification(
                type, subject: subject, time: .integer(time * 1000))
        }
    }
}

extension Result where Success == EventReceiver.Receipt {
    var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

@Suite struct `What a provider tells of its users` {
    @Test func `ends the sessions of a user who has taken back what was granted, and no other`() async throws {
        let stage = try await SignInStage(telling: .apple)
        let ada = try await stage.signIn(under: nil, code: "1")
        let grace = try await stage.signIn(under: nil, subject: "other", code: "2")
        let receipt = try await stage.taken(try stage.carrier.notification()).get()
        #expect(receipt.kinds == [.consentRevoked] && receipt.changes == 1 && !receipt.isRepeated)
        #expect(await !stage.isSignedIn(ada))
        await #expect(throws: ServiceError.invalidGrant(.unknownRefreshToken)) {
            try await stage.sessions.refresh(ada.tokens.refreshToken)
        }
        #expect(await stage.isSignedIn(grace))
        #expect(try await stage.auditTrail() == [.userCreated, .userCreated, .providerConsentRevoked])
        // A user who comes back is the same user, and has to begin anew.
        stage.pass(seconds: 1)
        let again = try await stage.signIn(under: nil, code: "3")
        #expect(again.signedIn.user == ada.signedIn.user)
    }

    @Test(arguments: [
        ("consent-revoked", AuditEvent.Kind.providerConsentRevoked, true),
        ("account-delete", .providerAccountDeleted, true), ("account-deleted", .providerAccountDeleted, true),
        ("email-disabled", .providerEmailDisabled, false), ("email-enabled", .providerEmailEnabled, false),
    ])
    func `does what each of Apple's kinds means, and the trail says which it was`(
        type: String, kind: AuditEvent.Kind, ends: Bool
    ) async throws {
        let stage = try await SignInStage(telling: .apple)
        let outcome = try await stage.signIn(under: nil)
        _ = try await stage.taken(try stage.notification(type)).get()
        #expect(await stage.isSignedIn(outcome) == !ends)
        #expect(try await stage.auditTrail() == [.userCreated, kind])
        #expect(try await stage.repository.userCount() == 1)
        let stopped = try await stage.repository.identities(of: outcome.signedIn.user).first?.emailStoppedAt
        #expect(stopped == (kind == .providerEmailDisabled ? stage.now : nil))
    }

    @Test(
        arguments: [
            ("sessions-revoked", "risc", nil, AuditEvent.Kind.providerSessionsRevoked, true),
            ("tokens-revoked", "oauth", nil, .providerTokensRevoked, true),
            ("account-purged", "risc", nil, .providerAccountDeleted, true),
            ("account-disabled", "risc", "hijacking", .providerAccountHijacked, true),
            ("account-disabled", "risc", "bulk-account", .providerAccountDisabled, true),
            ("account-enabled", "risc", nil, .providerAccountEnabled, false),
            ("account-credential-change-required", "risc", nil, .providerCredentialChangeRequired, false),
        ] as [(String, String, String?, AuditEvent.Kind, Bool)])
    func `does what each kind of RISC means, and the trail says which it was`(
        name: String, family: String, reason: String?, kind: AuditEvent.Kind, ends: Bool
    ) async throws {
        let stage = try await SignInStage(telling: .risc)
        let outcome = try await stage.signIn(under: nil)
        let token = try stage.carrier.securityEvent {
            $0.claims[setting: "events"] = stage.carrier.riscEvent(
                name, of: family, ["reason": reason.map { .string($0) } ?? .null])
        }
        _ = try await stage.taken(token).get()
        #expect(await stage.isSignedIn(outcome) == !ends)
        #expect(try await stage.auditTrail() == [.userCreated, kind])
    }

    @Test(arguments: [ProviderEvent.Kind.deauthorized, .deletionRequested])
    func `of Facebook's counts at the address it came to, and at no other`(kind: ProviderEvent.Kind) async throws {
        let stage = try await SignInStage(telling: .facebook)
        let request = SigningProvider.signedRequest()
        let other: ProviderEvent.Kind = kind == .deauthorized ? .deletionRequested : .deauthorized
        #expect(try await stage.taken(request: request, as: kind).get().kinds == [kind])
        #expect(await stage.taken(request: request, as: other).failure == .invalidEvent(.replayed))
        // The provider may not have heard the answer.
        #expect(try await stage.taken(request: request, as: kind).get().isRepeated)
        #expect(await stage.taken(request: request, as: other).failure == .invalidEvent(.replayed))
        let later = SigningProvider.signedRequest { $0[setting: "issued_at"] = .integer(SigningProvider.now) }
        #expect(try await stage.taken(request: later, as: other).get().kinds == [other])
    }

    @Test func `of Facebook's that comes to both addresses at once is taken at one`() async throws {
        let stage = try await SignInStage(telling: .facebook)
        for number in 0..<100 {
            let request = SigningProvider.signedRequest { $0[setting: "user_id"] = .string("user-\(number)") }
            async let one = stage.taken(request: request, as: .deauthorized)
            async let other = stage.taken(request: request, as: .deletionRequested)
            let outcomes = await [one.failure, other.failure]
            #expect(outcomes.count { $0 == nil } == 1 && outcomes.contains(.invalidEvent(.replayed)))
        }
    }

    @Test(arguments: [
        (ProviderEvent.Kind.deauthorized, AuditEvent.Kind.providerDeauthorized),
        (.deletionRequested, .providerDeletionRequested),
    ])
    func `does what each address of Facebook's means`(kind: ProviderEvent.Kind, event: AuditEvent.Kind) async throws {
        let stage = try await SignInStage(telling: .facebook)
        let outcome = try await stage.signIn(under: nil)
        let receipt = try await stage.taken(request: SigningProvider.signedRequest(), as: kind).get()
        #expect(await !stage.isSignedIn(outcome))
        #expect(try await stage.auditTrail() == [.userCreated, event])
        #expect((receipt.confirmation != nil) == (kind == .deletionRequested))
        #expect(try await stage.repository.userCount() == 1)
    }

    @Test func `is the same for somebody nobody knows, and nothing is written down`() async throws {
        let stage = try await SignInStage(telling: .apple)
        let outcome = try await stage.signIn(under: nil)
        let receipt = try await stage.taken(try stage.notification("account-delete", subject: "unknown")).get()
        #expect(receipt.kinds == [.accountDeleted] && receipt.changes == 0)
        #expect(await stage.isSignedIn(outcome))
        #expect(try await stage.auditTrail() == [.userCreated])
    }

    @Test func `finds whom an issuer knew that has another name by now`() async throws {
        let receiving = try EventReceiving.sample(.apple)
        let stage = try await SignInStage {
            $0.issuerSource = .configured(issuer: "https://carrier.example")
            $0.events = receiving
            $0.issuerAliases = ["https://carrier.example": "https://new.example"]
        }
        let outcome = try await stage.signIn(under: nil)
        #expect(try await stage.taken(try stage.carrier.notification()).get().changes == 1)
        #expect(await !stage.isSignedIn(outcome))
    }

    @Test func `ends nothing that was opened after it happened, however late it comes`() async throws {
        let stage = try await SignInStage(telling: .apple)
        let old = try await stage.signIn(under: nil, code: "1")
        let event = try stage.notification("consent-revoked")
        stage.pass(seconds: 3600)
        let new = try await stage.signInNow(code: "2")
        #expect(try await stage.taken(event).get().changes == 1)
        #expect(await !stage.isSignedIn(old))
        #expect(await stage.isSignedIn(new))
    }

    @Test func `ends nothing again when it is replayed after a restart, which has forgotten it`() async throws {
        let stage = try await SignInStage(telling: .apple)
        _ = try await stage.signIn(under: nil, code: "1")
        let event = try stage.notification("consent-revoked")
        #expect(try await stage.taken(event).get().changes == 1)
        stage.pass(seconds: 3600)
        let new = try await stage.signInNow(code: "2")
        let trail = try await stage.auditTrail()
        let restarted = stage.restartedReceiver
        for _ in 0..<3 {
            let receipt = try await restarted.take(token: event, at: stage.provider, in: .unobserved)
            #expect(receipt.changes == 0)
        }
        #expect(await stage.isSignedIn(new))
        #expect(try await stage.auditTrail() == trail)
    }

    @Test func `of mail counts by its time, also after a restart`() async throws {
        let stage = try await SignInStage(telling: .apple)
        let user = try await stage.signIn(under: nil).signedIn.user
        let off = try stage.notification("email-disabled", at: stage.now - 100)
        let on = try stage.notification("email-enabled", at: stage.now - 50)
        for token in [on, off] { _ = try await stage.taken(token).get() }
        #expect(try await stage.repository.identities(of: user).first?.emailStoppedAt == nil)
        _ = try await stage.restartedReceiver.take(token: off, at: stage.provider, in: .unobserved)
        #expect(try await stage.repository.identities(of: user).first?.emailStoppedAt == nil)
    }
}

extension SignInStage {
    /// A sign-in with an ID token of now.
    func signInNow(code: String) async throws -> SignInWithProvider.Outcome {
        let time = now
        try answerToken {
            $0.claims[setting: "iat"] = .integer(time)
            $0.claims[setting: "exp"] = .integer(time + 300)
            $0.claims[setting: "auth_time"] = .integer(time)
        }
        return try await signIn(["code": code])
    }

    /// What takes events in a process that has just begun.
    var restartedReceiver: EventReceiver {
        EventReceiver(useCases.parts, seen: SeenTokens(maximumAgeSeconds: 7 * 86_400))
    }
}
