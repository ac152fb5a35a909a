import Testing

@testable import Settings

/// A slip of the pen in a configuration, what is said of it, and what somebody writes instead who has read only that.
struct Mistake: Sendable, CustomTestStringConvertible {
    /// Where the line stands.
    enum Place: Sendable {
        /// Beside all sections.
        case top
        /// In place of the list of providers, or of that of apps.
        case providers, apps
        /// In the section of the provider `plain`, in place of the key that it has there, or of the app `acme`.
        case plain, app
        /// In the environment, as `NAME=VALUE`.
        case environment
    }

    let place: Place
    let wrong: String
    let right: String
    /// The whole line.
    let says: String

    init(_ place: Place, _ wrong: String, _ right: String, says: String) {
        (self.place, self.wrong, self.right, self.says) = (place, wrong, right, says)
    }

    var testDescription: String { wrong }

    /// Everything that is said of the configuration with one of the two lines in it.
    static func told(_ line: String, at place: Place) -> [String] {
        let loaded = load(line, at: place)
        return loaded.faults.map { "fault: \($0)" } + loaded.notices.map { "notice: \($0)" }
    }

    static func load(_ line: String, at place: Place) -> LoadedSettings {
        var environment: [String: String] = [:]
        if case .environment = place, let sign = line.firstIndex(of: "=") {
            environment[String(line[..<sign])] = String(line[line.index(after: sign)...])
        }
        return SettingsTests.load(yaml(line, at: place), environment: environment, files: files, listing: nil)
    }

    private static let files = [
        "master.key": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", "garbage.key": "garbage",
        "secret": "the-secret-of-the-shop",
        "ca.pem": "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n",
    ]

    private static func yaml(_ line: String, at place: Place) -> String {
        var plain = [
            "displayName: Shop", "profile: openid", "issuer: 'https://id.shop.test'", "clientID: shop",
            "clientSecret: the-secret-of-the-shop", "redirectURIs: ['shop.app:/back']",
        ]
        var acme = ["clientID: acme-app", "redirectURIs: ['com.acme.app:/back']"]
        switch place {
        case .plain: plain = replaced(plain, by: line)
        case .app: acme = replaced(acme, by: line)
        case .top, .providers, .apps, .environment: break
        }
        let hasApp = place == .app || place == .apps
        var lines = [place == .providers ? line : "providers: [plain]"]
        if place == .top { lines.append(line) }
        lines += ["provider:", "  plain: {\(plain.joined(separator: ", "))}"]
        if hasApp {
            lines += [place == .apps ? line : "apps: [acme]", "app:", "  acme: {\(acme.joined(separator: ", "))}"]
            lines.append("session: {issuer: 'https://signin.shop.test'}")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The keys of a section, with those of a line in place of their own. A misspelled key takes nobody's place but
    /// that of the one it means.
    private static func replaced(_ entries: [String], by line: String) -> [String] {
        let names = line.split(separator: ",").compactMap { $0.split(separator: ":").first }.map { name in
            String(name.drop { $0 == " " }).replacing("File", with: "").replacing("clientId", with: "clientID")
        }
        return entries.filter { entry in !names.contains { entry.hasPrefix($0 + ":") } } + [line]
    }
}

@Suite struct `A mistake in the configuration` {
    @Test(arguments: Mistake.all)
    func `is told in words by which it can be mended`(mistake: Mistake) {
        let told = Mistake.told(mistake.wrong, at: mistake.place)
        #expect(told.contains(mistake.says), "\(told)")
        let afterwards = Mistake.told(mistake.right, at: mistake.place)
        #expect(!afterwards.contains { $0.hasPrefix("fault: ") }, "\(afterwards)")
        #expect(!afterwards.contains(mistake.says))
    }

    @Test func `has been made here in every way that we know of`() {
        #expect(Mistake.all.count >= 92)
    }
}
