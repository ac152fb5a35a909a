import Accounts
import AccountsSQLite
import Crypto
import JOSE
import TestSupport
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite
@testable import SignIn

@Suite struct `A refresh token of the earlier form` {
    private static let secret = "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2U"
    private static let text = "0123456789abcdef0000000000000007." + secret
    private static let purpose = Array("gatehouse refresh token successor".utf8)

    /// A new one of a session, as earlier versions made it.
    private static func make(_ session: SessionID) -> String { "\(session).\(Random.token(byteCount: 32))" }

    /// A successor, sealed as earlier versions did it.
    private static func wrapped(_ successor: String, for token: String) throws -> [UInt8] {
        try AEAD.seal(
            Array(successor.utf8), key: SymmetricKey(Secret(HMAC.sha256(purpose, key: Array(token.utf8)))),
            associatedData: purpose)
    }

    /// Signs in, and leaves the session as an earlier version would have.
    private static func earlier(
        _ stage: SignInStage, previous: String? = nil, rotatedAt: Int64? = nil
    ) async throws -> (token: String, session: SessionID) {
        let signedIn = try await stage.signIn()
        let session = try await stage.sessions.principal(of: signedIn.tokens.accessToken).session.id
        let token = make(session)
        let store = try #require(stage.repository as? SQLiteAccounts)
        let previousToken = previous.map { "\(session).\($0)" }
        let sealed = try previousToken.map { try wrapped(token, for: $0) }
        try await store.writer.write { connection throws(RepositoryError) in
            try connection.run(
                Query(
                    """
                    UPDATE sessions SET generation = 0, refresh_hash = ?, previous_hash = ?, next_wrapped = ?, rotated = ?
                    WHERE id = ?
                    """),
                TokenHash(sha256: token), previousToken.map { TokenHash(sha256: $0) }, sealed, rotatedAt, session)
        }
        return (token, session)
    }

    @Test func `a refresh token of the earlier form is its session's name and a secret`() throws {
        let read = try #require(EarlierRefreshToken(Self.text))
        #expect(read.session == SessionID(high: 0x0123_4567_89AB_CDEF, low: 7))
        #expect(read.text == Self.text)
        #expect(read.hash.bytes == Digest.sha256.hash(Array(Self.text.utf8)))
    }

    @Test(arguments: [
        "", ".", "secret", "0123456789abcdef0000000000000007", "0123456789abcdef0000000000000007.",
        "0123456789abcdef0000000000000007.secret", "0123456789ABCDEF0000000000000007.\(secret)",
        "0123456789abcdef000000000000000.\(secret)", "0123456789abcdef00000000000000070.\(secret)", ".\(secret)",
        "\(text).b", "0123456789abcdef000000000000000g.\(secret)", "\(text)A", "\(text)=", String(text.dropLast()),
    ])
    func `a refresh token of the earlier form is nothing of another form`(text: String) {
        #expect(EarlierRefreshToken(text) == nil)
    }

    @Test func `opens the seal that was made for it, and no other or one that was changed`() throws {
        let token = try #require(EarlierRefreshToken(Self.text))
        let next = Self.make(token.session)
        let wrapped = try Self.wrapped(next, for: Self.text)
        #expect(token.unwrapped(wrapped)?.text == next)
        #expect(EarlierRefreshToken(next)?.unwrapped(wrapped) == nil)
        for index in wrapped.indices {
            var changed = wrapped
            changed[index] ^= 1
            #expect(token.unwrapped(changed) == nil)
        }
        #expect(token.unwrapped([]) == nil)
        #expect(token.unwrapped(Array(wrapped.dropLast())) == nil)
    }

    @Test func `works once more, and gives a signed one, which is given again when it was lost`() async throws {
        let stage = try await SignInStage()
        let (token, session) = try await Self.earlier(stage)
        let first = try await stage.sessions.refresh(token)
        #expect(first.refreshToken?.split(separator: ".").count == 3)
        stage.pass(seconds: 60)
        #expect(try await stage.sessions.refresh(token).refreshToken == first.refreshToken)
        let second = try await stage.sessions.refresh(first.refreshToken)
        #expect(try await stage.sessions.principal(of: second.accessToken).session.id == session)
        await #expect(throws: ServiceError.invalidGrant(.reusedRefreshToken)) {
            try await stage.sessions.refresh(token)
        }
    }

    @Test func `gives one of its own form again where the answer was lost just before the update`() async throws {
        let stage = try await SignInStage()
        let lost = Random.token(byteCount: 32)
        let (token, session) = try await Self.earlier(stage, previous: lost, rotatedAt: stage.now)
        stage.pass(seconds: 5)
        #expect(try await stage.sessions.refresh("\(session).\(lost)").refreshToken == token)
        _ = try await stage.sessions.refresh(token)
    }

    @Test func `ends its session (RFC 7009)`() async throws {
        let stage = try await SignInStage()
        let (token, session) = try await Self.earlier(stage)
        try await stage.sessions.revoke("\(session).\(Random.token(byteCount: 32))", for: nil)
        #expect(try await stage.repository.session(session, now: stage.now) != nil)
        try await stage.sessions.revoke(token, for: nil)
        #expect(try await stage.repository.session(session, now: stage.now) == nil)
    }

    @Test func `a refresh token of the earlier form is refused when it is made up, and nothing is revoked`()
        async throws
    {
        let stage = try await SignInStage()
        let (token, session) = try await Self.earlier(stage)
        for text in [Self.make(session), Self.text, Self.make(SessionID(high: 0, low: 0))] {
            await #expect(throws: ServiceError.invalidGrant(.unknownRefreshToken)) {
                try await stage.sessions.refresh(text)
            }
        }
        _ = try await stage.sessions.refresh(token)
    }
}
