import Accounts
import Apps
import Crypto
import JOSE
import System
import TestSupport
import Testing

@testable import SignIn

@Suite struct `The session keys` {
    @Test func `the session keys are made on the first start and kept`() async throws {
        let stage = try await SignInStage()
        #expect(try await Set(stage.repository.signingKeys().map(\.entry.purpose)) == [.session, .receipt])
        let reloaded = try await stage.reloadedSessionKeys()
        #expect(reloaded.document == stage.sessionKeys.document)
        #expect(try await stage.repository.signingKeys().count == 2)
    }

    @Test func `the session keys are never guessed when a stored one can't be read`() async throws {
        let stage = try await SignInStage()
        try await stage.repository.addSigningKey(
            SigningKey(kid: "broken", purpose: .session, privateKey: Array("no key".utf8), createdAt: stage.now + 10))
        await #expect {
            _ = try await stage.reloadedSessionKeys()
        } throws: { error in
            if case .unreadableKey = error as? SessionKeys.LoadError { true } else { false }
        }
    }

    @Test func `the session keys can't be had from a store that is closed`() async throws {
        let stage = try await SignInStage()
        await stage.repository.close()
        await #expect(throws: SessionKeys.LoadError.self) { _ = try await stage.reloadedSessionKeys() }
    }

    /// Every instance has its own keys in memory, and they share the store.
    private func instance(of stage: SignInStage) async throws -> (keys: SessionKeys, issuer: TokenIssuer) {
        let keys = try await stage.reloadedSessionKeys()
        return (
            keys,
            TokenIssuer(
                configuration: stage.issuer.configuration, keys: keys, repository: stage.repository)
        )
    }

    @Test func `publish a new key before it signs`() async throws {
        let stage = try await SignInStage()
        let keys = stage.sessionKeys
        let old = keys.signer.keyID
        let new = try await SessionKeys.rotate(.session, in: stage.repository, now: stage.now, signsAtOnce: false)
        #expect(try await keys.reload(from: stage.repository, now: stage.now))
        #expect(String(decoding: keys.document, as: UTF8.self).contains(new))
        #expect(keys.signer.keyID == old)
        stage.pass(seconds: SessionKeys.publicationSeconds - 1)
        #expect(try await !keys.reload(from: stage.repository, now: stage.now))
        #expect(keys.signer.keyID == old)
        stage.pass(seconds: 1)
        #expect(try await keys.reload(from: stage.repository, now: stage.now))
        #expect(keys.signer.keyID == new)
        #expect(try await stage.reloadedSessionKeys().signer.keyID == new)
        #expect(try await !keys.reload(from: stage.repository, now: stage.now))
    }

    @Test func `sign with a new key at once when told so, and keep old tokens good`() async throws {
        let stage = try await SignInStage()
        let token = try await stage.signIn().tokens.accessToken
        let new = try await SessionKeys.rotate(.session, in: stage.repository, now: stage.now, signsAtOnce: true)
        #expect(try await stage.sessionKeys.reload(from: stage.repository, now: stage.now))
        #expect(stage.sessionKeys.signer.keyID == new)
        #expect(stage.sessionKeys.count == 2)
        _ = try await stage.sessions.principal(of: token).session
    }

    @Test func `the session keys go on signing with a key that came at once, whatever was waiting before it`()
        async throws
    {
        let stage = try await SignInStage()
        let keys = stage.sessionKeys
        _ = try await SessionKeys.rotate(.session, in: stage.repository, now: stage.now, signsAtOnce: false)
        let urgent = try await SessionKeys.rotate(.session, in: stage.repository, now: stage.now, signsAtOnce: true)
        try await keys.reload(from: stage.repository, now: stage.now)
        #expect(keys.signer.keyID == urgent)
        stage.pass(seconds: SessionKeys.publicationSeconds)
        try await keys.reload(from: stage.repository, now: stage.now)
        #expect(keys.signer.keyID == urgent)
    }

    @Test func `the session keys are looked for when a token names one that is not known here`() async throws {
        let stage = try await SignInStage()
        let tokens = try await stage.signIn().tokens
        _ = try await SessionKeys.rotate(.session, in: stage.repository, now: stage.now, signsAtOnce: true)
        let other = try await instance(of: stage)
        let elsewhere = Sessions(
            repository: stage.repository, tokenIssuer: other.issuer, apps: stage.apps,
            providers: stage.providers, clock: stage.clock)
        let fresh = try await elsewhere.refresh(tokens.refreshToken).accessToken
        #expect(stage.issuer.bearer(of: fresh, at: stage.now) == nil)
        _ = try await stage.sessions.principal(of: fresh).session
        #expect(stage.sessionKeys.count == 2)
    }

    /// However many tokens with junk for a key were looked at just before.
    @Test func `the session keys are found by all who have met a new one, with few looks into the store`() async throws
    {
        let stage = try await SignInStage()
        let keys = stage.sessionKeys
        try await keys.reloadForUnknownKey(from: stage.repository, now: 100)
        for expected in 2...3 {
            _ = try await SessionKeys.rotate(.session, in: stage.repository, now: 0, signsAtOnce: true)
            let start = MonotonicTime.now
            await withThrowingTaskGroup { group in
                for _ in 0..<96 {
                    group.addTask {
                        try await keys.reloadForUnknownKey(from: stage.repository, now: 100)
                        #expect(keys.count == expected)
                    }
                }
            }
            // All of them have waited for the same look.
            #expect(MonotonicTime.now - start < SessionKeys.unknownKeyPause * 48)
        }
    }

    @Test func `the session keys stay as they were when the store can't be read`() async throws {
        let stage = try await SignInStage()
        let document = stage.sessionKeys.document
        try await stage.repository.addSigningKey(
            SigningKey(kid: "broken", purpose: .session, privateKey: Array("no key".utf8), createdAt: stage.now + 10))
        await #expect(throws: SessionKeys.LoadError.self) {
            try await stage.sessionKeys.reload(from: stage.repository, now: stage.now)
        }
        #expect(stage.sessionKeys.document == document)
    }

    @Test func `leave a token of an unknown key undecided while the store can't be read`() async throws {
        let stage = try await SignInStage()
        let tokens = try await stage.signIn().tokens
        _ = try await SessionKeys.rotate(.session, in: stage.repository, now: stage.now, signsAtOnce: true)
        let other = try await instance(of: stage)
        let elsewhere = Sessions(
            repository: stage.repository, tokenIssuer: other.issuer, apps: stage.apps,
            providers: stage.providers, clock: stage.clock)
        let fresh = try await elsewhere.refresh(tokens.refreshToken).accessToken
        await stage.repository.close()
        await #expect(throws: ServiceError.storageUnavailable(.closed)) {
            try await stage.sessions.principal(of: fresh).session
        }
    }

    @Test func `the session keys are refused as soon as a retired one is known, and so are the tokens it signed`()
        async throws
    {
        let stage = try await SignInStage()
        let token = try await stage.signIn().tokens.accessToken
        let old = try #require(stage.sessionKeys.signer.keyID)
        _ = try await SessionKeys.rotate(.session, in: stage.repository, now: stage.now, signsAtOnce: true)
        #expect(try await stage.repository.retireSigningKey(old, now: stage.now) == .retired)
        #expect(try await stage.sessionKeys.reload(from: stage.repository, now: stage.now))
        #expect(!String(decoding: stage.sessionKeys.document, as: UTF8.self).contains(old))
        await #expect(throws: ServiceError.invalidToken) { try await stage.sessions.principal(of: token).session }
        // Nor does it come back with a token that names it.
        await #expect(throws: ServiceError.invalidToken) { try await stage.sessions.principal(of: token).session }
        #expect(stage.sessionKeys.count == 1)
    }

    @Test func `leave when nothing they signed is valid any more`() async throws {
        let stage = try await SignInStage()
        let old = try #require(stage.sessionKeys.signer.keyID)
        let receipt = try #require(stage.sessionKeys.receiptSigner.keyID)
        _ = try await SessionKeys.rotate(.session, in: stage.repository, now: stage.now, signsAtOnce: false)
        _ = try await SessionKeys.rotate(.receipt, in: stage.repository, now: stage.now, signsAtOnce: false)
        stage.pass(seconds: SessionKeys.publicationSeconds + 900 + SessionKeys.slackSeconds)
        func retired() async throws -> Int {
            try await SessionKeys.retireOutlived(in: stage.repository, accessTokenSeconds: 900, now: stage.now)
        }
        #expect(try await retired() == 0)
        stage.pass(seconds: 1)
        #expect(try await retired() == 1)
        #expect(try await retired() == 0)
        #expect(try await stage.sessionKeys.reload(from: stage.repository, now: stage.now))
        let document = String(decoding: stage.sessionKeys.document, as: UTF8.self)
        #expect(!document.contains(old))
        #expect(document.contains(receipt), "receipts are proof for years")
    }

    @Test func `the session keys have another one for receipts, which verifies no session`() async throws {
        let stage = try await SignInStage()
        let keys = stage.sessionKeys
        let session = keys.signer.keyID
        let old = keys.receiptSigner.keyID
        #expect(session != old)
        let new = try await SessionKeys.rotate(.receipt, in: stage.repository, now: stage.now, signsAtOnce: true)
        #expect(try await keys.reload(from: stage.repository, now: stage.now))
        #expect(keys.receiptSigner.keyID == new)
        #expect(keys.signer.keyID == session)
        #expect(keys.count == 1)
        let published = try JWKSet(parsing: keys.document.span, maximumKeyCount: 5).keys.map(\.keyID)
        #expect(Set(published) == [session, old, new])
    }

    @Test func `make an RSA key for ID tokens only when an app needs one, which is rotated and leaves like any other`()
        async throws
    {
        let stage = try await SignInStage()
        #expect(throws: SessionKeys.LoadError.self) { try stage.sessionKeys.idTokenSigner(.rs256) }
        let keys = try await SessionKeys.load(from: stage.repository, for: [.idToken], now: stage.now)
        let first = try keys.idTokenSigner(.rs256)
        #expect(try keys.idTokenSigner(.es256).keyID == keys.signer.keyID && first.algorithm == .rs256)
        #expect(String(decoding: keys.document, as: UTF8.self).contains(try #require(first.keyID)))
        let new = try await SessionKeys.rotate(.idToken, in: stage.repository, now: stage.now, signsAtOnce: true)
        #expect(try await keys.reload(from: stage.repository, now: stage.now))
        #expect(try keys.idTokenSigner(.rs256).keyID == new)
        #expect(keys.count == 1, "no access token is verified with it")
        let hint = try first.sign(Array("{}".utf8))
        func isVerified() -> Bool {
            (try? JWS.verify(hint, keys: keys.verifyingIDTokens, allowed: [.rs256], maximumByteCount: 4096)) != nil
        }
        #expect(isVerified())
        // The new one counts as a second younger, since two of one age can't be told apart.
        stage.pass(seconds: 900 + SessionKeys.slackSeconds + 2)
        #expect(
            try await SessionKeys.retireOutlived(in: stage.repository, accessTokenSeconds: 900, now: stage.now) == 1)
        #expect(try await keys.reload(from: stage.repository, now: stage.now))
        #expect(!isVerified())
    }

    @Test func `of all purposes are replaced when they may have leaked, and of no other`() async throws {
        let stage = try await SignInStage()
        func purposes() async throws -> [SigningKeyEntry.Purpose] {
            try await SessionKeys.replacements(forThoseIn: stage.repository, now: stage.now).map(\.entry.purpose)
        }
        #expect(try await purposes() == [.session, .receipt])
        _ = try await SessionKeys.load(from: stage.repository, for: [.idToken], now: stage.now)
        #expect(try await purposes() == [.session, .receipt, .idToken])
    }

    @Test func `the session keys are not read again while nothing about them has changed`() async throws {
        let stage = try await SignInStage()
        // A key that can't be read would be told.
        let broken = SigningKey(kid: "broken", purpose: .session, privateKey: Array("no key".utf8), createdAt: 1)
        try await stage.repository.addSigningKey(broken)
        #expect(try await stage.repository.retireSigningKey("broken", now: stage.now) == .retired)
        #expect(try await !stage.sessionKeys.reload(from: stage.repository, now: stage.now))
    }

    @Test func `the session keys never have names that a command line takes for options`() throws {
        for _ in 0..<200 {
            let key = try SessionKeys.makeKey(for: .session, createdAt: 1, signsFrom: 1)
            #expect(!key.kid.hasPrefix("-"))
        }
    }
}
