internal import Accounts
internal import Crypto
internal import Syntax

/// What a browser is known again by in one sign-in: random, and kept in a cookie that scripts don't see.
public struct BrowserKey: Sendable {
    private static let byteCount = 32

    let text: String

    init() {
        text = Random.token(byteCount: Self.byteCount)
    }

    /// - Returns: nil for what this service has never given out.
    init?(_ text: some StringProtocol) {
        let text = String(text)
        guard text.utf8.count == Base64URL.encodedCount(of: Self.byteCount), Base64URL.decode(text) != nil else {
            return nil
        }
        self.text = text
    }

    var hash: TokenHash { TokenHash(sha256: text) }
    var mark: SignInMark { SignInMark(of: hash) }
}

/// What a browser shows: a key for each of its sign-ins that is under way, and which apps those were for that have just
/// ended, each in a cookie of its own, so that tabs that begin at once don't take each other's away.
///
/// Each sign-in draws its own key as it begins and takes it away as it is finished, so that who has put one into
/// somebody's browser, or has seen one there, has none of those that follow (session fixation).
public struct BrowserKeys: Sendable {
    /// Sign-ins of one browser at once; one more makes the oldest give way, as all its cookies go with each request.
    public static let maximum = 8
    /// A sign-in that took too long is told its way on for as long again as it may take.
    private static let secondsUnderWay = 2 * BrowserSignIn.lifetimeSeconds
    private static let secondsOver = BrowserSignIn.lifetimeSeconds
    fileprivate static let separator: Character = "."

    /// A cookie that is given out; without a value it is taken away.
    public struct Change: Sendable {
        /// Whose it is; nil for the one cookie that all had in earlier versions.
        public let mark: SignInMark?
        public let value: String?
        public let seconds: Int64
    }

    fileprivate struct SignIn: Sendable {
        let mark: SignInMark
        /// nil once it is over.
        let key: BrowserKey?
        /// The app's address, as ``AppAddress/mark`` has it.
        let app: String
        /// In seconds since 1970: when it began, or ended.
        let since: Int64

        var value: String {
            ((key.map { [$0.text] } ?? []) + [app, "\(since)"]).joined(separator: String(separator))
        }
    }

    private var signIns: [SignIn] = []
    /// What earlier versions gave out: one cookie with the keys alone.
    private var earlier: [BrowserKey] = []
    private var unusable: [SignInMark?] = []
    /// What has to be given out anew.
    public private(set) var changes: [Change] = []

    public init() {}

    /// - Parameters:
    ///   - cookies: those of single sign-ins, by what stands behind the dot of their names.
    ///   - earlier: the values of the one of earlier versions.
    public init(_ cookies: [(mark: String, value: String)], earlier: [String]) {
        for (name, value) in cookies {
            // A name of another form is nobody's of ours.
            guard let mark = SignInMark(name) else { continue }
            guard let signIn = SignIn(mark, value), !signIns.contains(where: { $0.mark == mark }) else {
                unusable.append(mark)
                continue
            }
            signIns.append(signIn)
        }
        let keys = earlier.flatMap { $0.split(separator: Self.separator, omittingEmptySubsequences: false) }
        self.earlier = keys.compactMap { BrowserKey($0) }
        if earlier.count > 1 || keys.count > Self.maximum || self.earlier.count < keys.count { unusable.append(nil) }
    }

    /// Whether nothing of ours is shown, as by a browser that was never here.
    public var isEmpty: Bool { signIns.isEmpty && earlier.isEmpty && unusable.isEmpty }
    /// Whether something under a name of ours is none of ours, or is there twice.
    public var isUnusable: Bool { !unusable.isEmpty }

    /// - Parameter now: in seconds since 1970.
    /// - Returns: the key of a sign-in that begins.
    mutating func begin(for address: AppAddress, at now: Int64) -> BrowserKey {
        for mark in unusable { take(mark) }
        unusable = []
        let key = BrowserKey()
        put(SignIn(mark: key.mark, key: key, app: address.mark ?? "", since: now))
        while signIns.count > Self.maximum, let oldest = signIns.min(by: { $0.givesWay(before: $1) }) {
            signIns.removeAll { $0.mark == oldest.mark }
            take(oldest.mark)
        }
        return key
    }

    /// Takes the key of a sign-in away that is finished. Which app it was for is kept for a while.
    mutating func finish(_ key: BrowserKey, at now: Int64) {
        if let signIn = signIns.first(where: { $0.mark == key.mark }) {
            put(SignIn(mark: signIn.mark, key: nil, app: signIn.app, since: now))
        }
        guard earlier.contains(where: { $0.text == key.text }) else { return }
        earlier.removeAll { $0.text == key.text }
        if earlier.isEmpty { return take(nil) }
        let value = earlier.map(\.text).joined(separator: String(Self.separator))
        changes.append(Change(mark: nil, value: value, seconds: BrowserSignIn.lifetimeSeconds))
    }

    func key(_ hash: TokenHash) -> BrowserKey? {
        let mark = SignInMark(of: hash)
        let own = signIns.first { $0.mark == mark }?.key
        return ([own].compactMap(\.self) + earlier).first { $0.hash == hash }
    }

    /// The address of the app that a sign-in of this browser is or was for, as ``AppAddress/mark`` has it.
    func app(of mark: SignInMark) -> String? { signIns.first { $0.mark == mark }?.app }

    private mutating func put(_ signIn: SignIn) {
        signIns.removeAll { $0.mark == signIn.mark }
        signIns.append(signIn)
        let seconds = signIn.key == nil ? Self.secondsOver : Self.secondsUnderWay
        changes.append(Change(mark: signIn.mark, value: signIn.value, seconds: seconds))
    }

    private mutating func take(_ mark: SignInMark?) {
        changes.append(Change(mark: mark, value: nil, seconds: 0))
    }
}

extension BrowserKeys.SignIn {
    /// - Returns: nil for what this service has never given out.
    fileprivate init?(_ mark: SignInMark, _ value: String) {
        var parts = value.split(separator: BrowserKeys.separator, omittingEmptySubsequences: false)[...]
        var key: BrowserKey?
        if parts.count == 3, let first = parts.popFirst() {
            guard let read = BrowserKey(first) else { return nil }
            key = read
        }
        guard parts.count == 2, let app = parts.first, let since = parts.last.flatMap({ Int64($0) }) else {
            return nil
        }
        self.init(mark: mark, key: key, app: String(app), since: since)
    }

    /// What is over goes first.
    fileprivate func givesWay(before other: Self) -> Bool {
        (key == nil) == (other.key == nil) ? since < other.since : key == nil
    }
}
