import Testing

@testable import SignIn

@Suite(.timeLimit(.minutes(1))) struct `The keys of a browser` {
    @Test func `are as many as there are sign-ins under way, and a few at the most`() {
        var keys = BrowserKeys()
        let drawn = (0..<BrowserKeys.maximum + 2).map { _ in keys.begin() }
        #expect(keys.text.split(separator: ".").count == BrowserKeys.maximum)
        #expect(drawn.map { keys.key($0.hash) != nil } == [false, false] + drawn.dropFirst(2).map { _ in true })
    }

    @Test func `are read as they are written`() throws {
        var keys = BrowserKeys()
        let (first, second) = (keys.begin(), keys.begin())
        var read = try #require(BrowserKeys(keys.text))
        #expect(read.text == keys.text)
        read.finish(first)
        #expect(read.key(first.hash) == nil && read.key(second.hash) != nil)
        read.finish(second)
        #expect(read.key(second.hash) == nil && BrowserKeys(read.text) != nil)
    }

    @Test func `are none where anything else is among them`() {
        var keys = BrowserKeys()
        _ = keys.begin()
        for text in [
            "", ".", "x", keys.text + ".", "." + keys.text, keys.text + ".x", keys.text + "=", keys.text + " ",
        ] {
            #expect(BrowserKeys(text) == nil)
        }
        #expect(BrowserKeys(Array(repeating: keys.text, count: BrowserKeys.maximum + 1).joined(separator: ".")) == nil)
    }
}
