import Accounts
import Apps
import Testing

@testable import SignIn

@Suite(.timeLimit(.minutes(1))) struct `The keys of a browser` {
    private static let app = RegisteredApp(
        name: "acme", clientID: "acme-id", secret: nil, redirectURIs: [RedirectURI("https://acme.example/cb")],
        providers: [], origins: [], postLogoutRedirectURIs: [], otherBrowser: .refuse, consent: .implicit,
        idTokenAlgorithm: .es256, rights: RegisteredApp.Rights(permissions: .everything, grants: [.authorizationCode]))
    private let address = AppAddress(
        app: app, redirectURI: "https://acme.example/cb", state: nil, issuer: "https://gatehouse.example")

    /// What a browser shows after all these changes.
    private func shown(_ keys: BrowserKeys..., earlier: [String] = []) -> BrowserKeys {
        var cookies: [(mark: String, value: String)] = []
        for change in keys.flatMap(\.changes) {
            guard let mark = change.mark?.text else { continue }
            cookies.removeAll { $0.mark == mark }
            if let value = change.value { cookies.append((mark, value)) }
        }
        return BrowserKeys(cookies, earlier: earlier)
    }

    @Test func `are as many as there are sign-ins under way, and a few at the most`() {
        var keys = BrowserKeys()
        let drawn = (0..<Int64(BrowserKeys.maximum) + 2).map { keys.begin(for: address, at: 1000 + $0) }
        let there = [false, false] + drawn.dropFirst(2).map { _ in true }
        #expect(drawn.map { keys.key($0.hash) != nil } == there)
        #expect(drawn.map { shown(keys).key($0.hash) != nil } == there)
    }

    @Test func `give way by their age, and those that are over first`() {
        var keys = BrowserKeys()
        let drawn = (0..<Int64(BrowserKeys.maximum)).map { keys.begin(for: address, at: 1000 - $0) }
        keys.finish(drawn[0], at: 2000)
        var read = shown(keys)
        _ = read.begin(for: address, at: 3000)
        #expect(read.app(of: drawn[0].mark) == nil && read.key(drawn[7].hash) != nil)
        _ = read.begin(for: address, at: 3000)
        #expect(read.key(drawn[7].hash) == nil && read.key(drawn[1].hash) != nil)
    }

    @Test func `of sign-ins that began at once don't take each other's place`() {
        var (first, second) = (BrowserKeys(), BrowserKeys())
        let (one, other) = (first.begin(for: address, at: 1000), second.begin(for: address, at: 1000))
        for keys in [shown(first, second), shown(second, first)] {
            #expect(keys.key(one.hash) != nil && keys.key(other.hash) != nil)
        }
    }

    @Test func `leave which app it was, and nothing that opens anything`() {
        var keys = BrowserKeys()
        let key = keys.begin(for: address, at: 1000)
        #expect(shown(keys).app(of: key.mark) == address.mark && address.mark != nil)
        keys.finish(key, at: 1001)
        let after = shown(keys)
        #expect(after.key(key.hash) == nil && after.app(of: key.mark) == address.mark && !after.isEmpty)
        #expect(keys.changes.last?.value?.contains(key.text) == false)
    }

    @Test func `are found in the one cookie of earlier versions, which goes with the last of them`() {
        let (first, second) = (BrowserKey(), BrowserKey())
        var keys = BrowserKeys([], earlier: ["\(first.text).\(second.text)"])
        #expect(keys.key(first.hash) != nil && keys.key(second.hash) != nil && !keys.isUnusable)
        keys.finish(first, at: 1000)
        keys.finish(second, at: 1000)
        #expect(keys.changes.map(\.seconds) == [600, 0])
        #expect(keys.changes.map(\.value) == [second.text, nil] && keys.changes.allSatisfy { $0.mark == nil })
    }

    @Test func `are unusable where anything else is among them, until the next one begins`() {
        var keys = BrowserKeys()
        let key = keys.begin(for: address, at: 1000)
        let mark = key.mark.text
        for value in ["", ".", "x", key.text, key.text + ".x", "x.y.1", ".\(key.text).1", "x.1.1.1"] {
            var read = BrowserKeys([(mark, value)], earlier: [])
            #expect(read.isUnusable && read.key(key.hash) == nil, "\(value)")
            _ = read.begin(for: address, at: 1000)
            #expect(!read.isUnusable && read.changes.contains { $0.mark == key.mark && $0.value == nil })
        }
        for text in ["", ".", "x", key.text + ".", key.text + "=", key.text + " "] {
            #expect(BrowserKeys([], earlier: [text]).isUnusable)
        }
        let many = Array(repeating: key.text, count: BrowserKeys.maximum + 1).joined(separator: ".")
        #expect(BrowserKeys([], earlier: [many]).isUnusable)
        #expect(BrowserKeys([], earlier: [key.text, key.text]).isUnusable)
        #expect(BrowserKeys([("x", "y")], earlier: []).isEmpty)
    }

    @Test func `count under the name of their own sign-in only`() {
        var keys = BrowserKeys()
        let (key, other) = (keys.begin(for: address, at: 1000), keys.begin(for: address, at: 1000))
        let renamed = BrowserKeys([(other.mark.text, "\(key.text)..1000")], earlier: [])
        #expect(renamed.key(key.hash) == nil && renamed.key(other.hash) == nil)
    }
}
