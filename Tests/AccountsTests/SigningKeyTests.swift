import Accounts
import Testing

@Suite struct `The signing keys` {
    private static let lifetime: Int64 = 1000

    private static func entry(
        _ kid: String, _ purpose: SigningKeyEntry.Purpose = .session, created: Int64, signs: Int64? = nil,
        retired: Int64? = nil
    ) -> SigningKeyEntry {
        var entry = SigningKey(
            kid: kid, purpose: purpose, privateKey: [], createdAt: created, signsFrom: signs
        ).entry
        entry.retiredAt = retired
        return entry
    }

    private static func outlived(_ entries: [SigningKeyEntry], _ now: Int64) -> [String] {
        entries.outlived(.session, lifetime: lifetime, now: now).map(\.kid)
    }

    @Test func `sign by the newest whose time has come, and where none has, by the oldest`() {
        let keys = [
            Self.entry("c", created: 30, signs: 90), Self.entry("b", created: 20, signs: 60),
            Self.entry("a", created: 10, signs: 40),
        ]
        for (now, kid) in [(0, "a"), (40, "a"), (59, "a"), (60, "b"), (89, "b"), (90, "c")] {
            #expect(keys.signing(.session, now: Int64(now))?.kid == kid)
        }
        #expect([SigningKeyEntry]().signing(.session, now: 0) == nil)
    }

    @Test func `sign by their purpose, and never when retired`() {
        let keys = [
            Self.entry("gone", created: 40, retired: 50), Self.entry("receipt", .receipt, created: 30),
            Self.entry("session", created: 20),
        ]
        #expect(keys.signing(.session, now: 100)?.kid == "session")
        #expect(keys.signing(.receipt, now: 100)?.kid == "receipt")
    }

    @Test
    func `the signing keys are outlived when another has signed for longer than anything they signed is good for`() {
        let keys = [Self.entry("new", created: 100, signs: 700), Self.entry("old", created: 10)]
        #expect(Self.outlived(keys, 1700).isEmpty)
        #expect(Self.outlived(keys, 1701) == ["old"])
        #expect(Self.outlived(Array(keys.dropFirst()), 99_999).isEmpty, "the one that signs is never outlived")
    }

    @Test
    func `the signing keys are outlived by the first that took their place, and by none that is retired or waits`() {
        let keys = [
            Self.entry("waiting", created: 3000, signs: 9000), Self.entry("urgent", created: 2000),
            Self.entry("published", created: 1999, signs: 2600), Self.entry("gone", created: 500, retired: 600),
            Self.entry("old", created: 10),
        ]
        #expect(Self.outlived(keys, 3000).isEmpty)
        #expect(Self.outlived(keys, 3001) == ["published", "old"])
        // A key from before there was a time to wait for has none.
        let early = [Self.entry("new", created: 5000, signs: 0), Self.entry("old", created: 10)]
        #expect(Self.outlived(early, 5900).isEmpty)
        #expect(Self.outlived(early, 6001) == ["old"])
    }

    @Test func `last when they have signed receipts, and are not outlived by keys of another purpose`() {
        var receipts = [Self.entry("new", .receipt, created: 20), Self.entry("old", .receipt, created: 10)]
        #expect(receipts.outlived(.receipt, lifetime: 1, now: 99_999).isEmpty)
        receipts[1].isLasting = false
        #expect(receipts.outlived(.receipt, lifetime: 1, now: 99_999).map(\.kid) == ["old"])
        #expect(
            Self.outlived([Self.entry("r", .receipt, created: 20), Self.entry("s", created: 10)], 99_999).isEmpty)
    }
}
