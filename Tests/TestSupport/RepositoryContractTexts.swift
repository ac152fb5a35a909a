import Accounts
import Testing

extension RepositoryContract {
    /// Texts as they come from elsewhere, and whether a store holds them.
    private static let texts: [(text: String, isHeld: Bool)] = [
        ("a\0b", false), ("\0", false), ("zażółć", true), ("👩🏽‍🚒 4 bytes a letter", true), ("e\u{301}", true),
        ("\u{e9}", true),
        ("\u{FFFD}", true), (String(repeating: "a", count: 255), true), (String(repeating: "👩", count: 63), true),
    ]

    static let textClauses = [
        RepositoryContract("a text is found as it was stored, and one with a NUL is refused as that and nothing else") {
            store in
            for (text, isHeld) in texts {
                var record = Sample.signIn(Sample.subject(text))
                record.draft.session.authentication = Authentication(acr: text, amr: [text], time: nil)
                record.draft.session.userAgent = text
                guard isHeld else {
                    await #expect(throws: RepositoryError.unstorableText) { try await store.signIn(record) }
                    await #expect(throws: RepositoryError.unstorableText) {
                        try await store.user(with: Sample.subject(text))
                    }
                    continue
                }
                let signedIn = try await store.signedIn(record)
                #expect(signedIn.isNewUser, "\(text)")
                let session = try #require(try await store.session(record.session.id, now: Sample.now))
                #expect(session.authentication.acr.map { Array($0.utf8) } == Array(text.utf8))
                #expect(session.userAgent.map { Array($0.utf8) } == Array(text.utf8))
                #expect(try await store.user(with: Sample.subject(text)) == signedIn.user)
            }
            // What failed has left nothing, and the store goes on.
            #expect(try await store.auditTrail().count == texts.count(where: \.isHeld))
        }
    ]
}
