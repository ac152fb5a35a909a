import Accounts
import Crypto
import JOSE
import Testing

@testable import SignIn

@Suite struct `A refresh token` {
    private let session = SessionID(high: 0x0123_4567_89AB_CDEF, low: 7)
    private var token: RefreshToken { RefreshToken(session: session, secret: "secret") }

    @Test func `is its session's name and a secret`() throws {
        #expect(token.text == "0123456789abcdef0000000000000007.secret")
        let read = try #require(RefreshToken(token.text))
        #expect(read.session == session)
        #expect(read.text == token.text)
        #expect(read.hash.bytes == Digest.sha256.hash(Array(token.text.utf8)))
    }

    @Test(arguments: [
        "", ".", "secret", "0123456789abcdef0000000000000007", "0123456789abcdef0000000000000007.",
        "0123456789ABCDEF0000000000000007.secret", "0123456789abcdef000000000000000.secret",
        "0123456789abcdef00000000000000070.secret", ".secret", "0123456789abcdef0000000000000007.a.b",
        "0123456789abcdef000000000000000g.secret",
    ])
    func `is nothing of another form`(text: String) {
        #expect(RefreshToken(text) == nil)
    }

    @Test func `is no longer than 256 bytes`() {
        let longest = "0123456789abcdef0000000000000007." + String(repeating: "s", count: 223)
        #expect(RefreshToken(longest) != nil)
        #expect(RefreshToken(longest + "s") == nil)
    }

    @Test func `can be sealed for the one before it alone`() throws {
        let next = RefreshToken(session: session, secret: "next")
        let wrapped = try #require(next.wrapped(for: token))
        #expect(token.unwrapped(wrapped)?.text == next.text)
        #expect(next.unwrapped(wrapped) == nil)
        #expect(RefreshToken(session: session, secret: "Secret").unwrapped(wrapped) == nil)
        #expect(!String(decoding: wrapped, as: UTF8.self).contains("next"))
    }

    @Test func `does not come out of a seal that was changed`() throws {
        let wrapped = try #require(RefreshToken(session: session, secret: "next").wrapped(for: token))
        for index in wrapped.indices {
            var changed = wrapped
            changed[index] ^= 1
            #expect(token.unwrapped(changed) == nil)
        }
        #expect(token.unwrapped([]) == nil)
        #expect(token.unwrapped(Array(wrapped.dropLast())) == nil)
    }
}
