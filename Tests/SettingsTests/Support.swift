import Settings
import Wings

/// What stands for the configuration file and every file that a key names.
struct Files {
    static let configuration = "gatehouse.yaml"

    var texts: [String: String] = [:]
    /// What is no text.
    var pictures: [String: [UInt8]] = [:]

    func read(_ path: String) throws(SettingsFileError) -> [UInt8] {
        guard let bytes = pictures[path] ?? texts[path].map({ Array($0.utf8) }) else { throw .notFound }
        return bytes
    }
}

/// - Parameter provider: which one is listed where neither the file nor the environment lists any; nil: none.
func load(
    _ yaml: String?, environment: [String: String] = [:], files: [String: String] = [:],
    pictures: [String: [UInt8]] = [:], listing provider: String? = "zenkey"
) -> LoadedSettings {
    var files = Files(texts: files, pictures: pictures)
    var environment = environment
    if let yaml { files.texts[Files.configuration] = yaml }
    let isListed = yaml?.split(separator: "\n").contains { $0.hasPrefix("providers:") } ?? false
    if let provider, !isListed, environment["GATEHOUSE_PROVIDERS"] == nil {
        if let yaml, yaml.hasSuffix("\n"), yaml.contains("zenkey") {
            // At its end, so that every line has the number that it has in the test.
            files.texts[Files.configuration] = yaml + "providers: [\(provider)]\n"
        } else {
            environment["GATEHOUSE_PROVIDERS"] = provider
        }
    }
    return Settings.load(
        file: yaml == nil ? nil : Files.configuration, environment: environment,
        wings: Wing.all.map(\.settings)
    ) {
        path throws(SettingsFileError) in try files.read(path)
    }
}

extension LoadedSettings {
    var settings: Settings? {
        if case .valid(let settings, _, _) = self { settings } else { nil }
    }

    var effective: [EffectiveSetting] {
        if case .valid(_, let effective, _) = self { effective } else { [] }
    }

    var faults: [SettingsError] {
        if case .faulty(let faults, _) = self { faults } else { [] }
    }

    var notices: [SettingsNotice] {
        switch self {
        case .valid(_, _, let notices), .faulty(_, let notices): notices
        }
    }
}

/// The least that holds: one provider with what only its owner can know.
let least = """
    provider:
      zenkey:
        clientID: ccid-0123456789abcdef
        clientSecret: s3cret-of-zenkey

    """

/// The least that holds, with one more line in the provider's section.
func leastWith(_ line: String) -> String { least + "    \(line)\n" }

/// The least that holds, with an app.
let leastWithApp =
    least + """
        apps: [acme]
        app:
          acme:
            clientID: acme-app
            redirectURIs: ['https://acme.example/callback']

        """

/// The least that holds with an app, with one more line in the app's section.
func appWith(_ line: String) -> String { leastWithApp + "    \(line)\n" }

/// An app whose section has these lines only.
func app(_ lines: String...) -> String {
    least + "apps: [acme]\napp:\n  acme:\n" + lines.map { "    \($0)\n" }.joined()
}
