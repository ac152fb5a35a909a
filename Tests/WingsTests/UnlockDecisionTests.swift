import Testing

@testable import Wings

@Suite struct `Attempts to unlock a key` {
    @Test func `are three wrong passwords at most`() {
        func decide(_ attempt: UnlockAttempt, after failures: Int64, isLocked: Bool = false) -> UnlockDecision {
            .decide(attempt, failures: failures, isLocked: isLocked)
        }
        let (right, wrong) = (UnlockAttempt.password(isRight: true), UnlockAttempt.password(isRight: false))
        #expect((0..<4).map { decide(wrong, after: $0) } == [.count, .count, .lock, .refuse])
        #expect((0..<4).map { decide(right, after: $0) } == [.unlock, .unlock, .unlock, .refuse])
        #expect((0..<4).map { decide(.longSecret, after: $0) } == [.unlock, .unlock, .unlock, .refuse])
        for attempt in [right, wrong, .longSecret] {
            #expect(decide(attempt, after: 0, isLocked: true) == .refuse)
        }
    }

    @Test func `name a key to the letter`() throws {
        let text = "6f1a0e4bd2c94f7f8f6b0f35d9b3a1c2"
        let id = try #require(UnlockKeyID(text: text))
        #expect(id.text == text && UnlockKeyID(id.bytes) == id)
        for other in ["", String(text.dropLast()), text + "0", text.uppercased(), "g" + text.dropFirst(), " " + text] {
            #expect(UnlockKeyID(text: other) == nil)
        }
        #expect(UnlockKeyID([1, 2]) == nil)
    }
}
