internal import Crypto
internal import Observability
internal import YAML

/// Reads layer by layer, key by key, and collects what is wrong on the way.
struct SettingsLoader {
    typealias FileReader = (String) throws(SettingsFileError) -> String

    private let path: String?
    private let environment: [String: String]
    let readFile: FileReader
    /// The strongest first.
    private(set) var layers: [SettingLayer]
    private(set) var document: YAMLDocument?
    var faults: [SettingsError] = []
    var notices: [SettingsNotice] = []
    var sources: [String: SettingSource] = [:]

    init(file: String?, environment: [String: String], readFile: @escaping FileReader) {
        path = file
        self.readFile = readFile
        // Container files hand on variables that nobody set as empty ones.
        let given = environment.filter { !$0.value.isEmpty }
        self.environment = given.filter { !KubernetesVariables.isOne($0.key, value: $0.value) }
        notices = KubernetesVariables.notices(given)
        layers = [.environment(self.environment)]
    }

    mutating func load() -> LoadedSettings {
        readConfigurationFile()
        let isComplete = faults.isEmpty
        var settings = Settings()
        read(SettingKey<Settings>.all, under: [], of: layers, into: &settings)
        // Without a list to rely on, no section is looked at: what was meant to be used is unknown.
        let isListed = !faults.contains { $0.key == "providers" }
        if !isListed { settings.providerNames = [] }
        let inEnvironment = settings.providerNames.filter(isInEnvironment)
        for name in settings.providerNames {
            let layers = inEnvironment.contains(name) ? layers : layers.filter { !$0.isEnvironment }
            settings.sections.append(readProvider(name, of: layers))
        }
        // Without the file every key looks as if it were missing: the environment's faults are all there is to say.
        guard isComplete else { return .faulty(faults, notices: notices) }
        checkKeys(providers: isListed ? settings.providerNames : nil)
        for report in EnvironmentNames(providers: inEnvironment).reports(environment) {
            switch report {
            case .fault(let fault): faults.append(fault)
            case .notice(let notice): notices.append(notice)
            }
        }
        check(settings)
        notices += settings.notices() + settings.noticesOfSharedRedirectURIs()
        guard faults.isEmpty else { return .faulty(faults, notices: notices) }
        do throws(SettingsError) {
            for section in settings.sections {
                let shared = settings.sharedRedirectURIs(of: section)
                settings.providers.append(try section.configuration(sharedRedirectURIs: shared))
            }
        } catch {
            return .faulty([error], notices: notices)
        }
        return .valid(settings, effective: settings.effective(sources), notices: notices)
    }

    /// How log lines are written, as far as that can be known: also from a configuration that is faulty elsewhere.
    mutating func logFormat() -> LogFormat {
        readConfigurationFile()
        var settings = Settings()
        read(SettingKey<Settings>.all.filter { $0.name == "log.format" }, under: [], of: layers, into: &settings)
        return settings.log.format
    }

    private mutating func readConfigurationFile() {
        guard let path else { return }
        let text: String
        do {
            text = try readFile(path)
        } catch {
            faults.append(SettingsError(.unreadableFile, path, expected: error.sentence))
            return
        }
        do {
            let document = try YAMLDocument(parsing: text)
            self.document = document
            layers.append(.file(document.root))
        } catch {
            let expected = "\(error.expected), at line \(error.line), column \(error.column)"
            faults.append(SettingsError(.syntax, path, expected: expected, source: .file(line: error.line)))
        }
    }

    /// Whether any variable is a provider's. Asked first, because spelling the variable of each key of many providers
    /// takes longer than all the rest of reading them.
    private func isInEnvironment(_ provider: String) -> Bool {
        let prefix = EnvironmentNames.prefix(of: provider)
        return environment.keys.contains { $0.hasPrefix(prefix) }
    }

    private mutating func readProvider(_ name: String, of layers: [SettingLayer]) -> ProviderSettings {
        var provider = ProviderSettings(name: name)
        read(SettingKey<ProviderSettings>.all, under: ["provider", name], of: layers, into: &provider)
        provider.deriveDefaults()
        return provider
    }

    /// Reads the given keys into `root`; what is not given keeps its default.
    private mutating func read<Root>(
        _ keys: [SettingKey<Root>], under section: [String], of layers: [SettingLayer], into root: inout Root
    ) {
        for key in keys {
            let name = (section + [key.name]).joined(separator: ".")
            guard let finding = find(key, section, name, layers) else { continue }
            sources[name] = finding.source
            guard let content = finding.content else {
                refuse(key, name, finding.written, key.expected, finding.source)
                continue
            }
            do {
                try key.write(content, &root)
            } catch {
                for refusal in [error] + error.others {
                    refuse(key, name, refusal.value, refusal.expected, finding.source, position: refusal.position)
                }
            }
        }
    }

    private mutating func refuse<Root>(
        _ key: SettingKey<Root>, _ name: String, _ value: String, _ expected: String, _ source: SettingSource,
        position: Int? = nil
    ) {
        // What is never shown is told by its place.
        let redacted = Secret.redacted + (position.map { ", element \($0)" } ?? "")
        let shown = key.isSecret ? redacted : value
        faults.append(SettingsError(.value, name, value: shown, expected: expected, source: source))
    }

    /// What the strongest layer that has the key gives for it.
    private mutating func find<Root>(
        _ key: SettingKey<Root>, _ section: [String], _ name: String, _ layers: [SettingLayer]
    ) -> SettingLayer.Finding? {
        for layer in layers {
            guard key.isSecret else {
                if let finding = layer.find(section + key.path, as: key.type) { return finding }
                continue
            }
            let direct = layer.find(section + key.path, as: key.type).flatMap { $0.isEmpty ? nil : $0 }
            guard let twin = layer.find(section + key.fileTwinPath, as: .text), !twin.isEmpty else {
                if let direct { return direct }
                continue
            }
            if let direct {
                let expected = "either the secret or \(key.fileTwin), not both"
                faults.append(
                    SettingsError(
                        .conflict, name, value: Secret.redacted, expected: expected, source: twin.source))
                return direct
            }
            return secret(from: twin, key, name)
        }
        return nil
    }

    /// Reads the file that a secret's twin names; one line end at its close is not part of the secret.
    private mutating func secret<Root>(
        from twin: SettingLayer.Finding, _ key: SettingKey<Root>, _ name: String
    ) -> SettingLayer.Finding? {
        guard case .text(let path)? = twin.content else {
            let expected = "the path of a file that holds the secret"
            faults.append(
                SettingsError(.value, name + SettingKey<Root>.fileSuffix, expected: expected, source: twin.source))
            return nil
        }
        do {
            var text = try readFile(path)
            if text.last?.isNewline == true { text.removeLast() }
            let content: SettingContent =
                key.type == .list ? .list(text.split(whereSeparator: \.isNewline).map(String.init)) : .text(text)
            return SettingLayer.Finding(content: content, written: text, source: .secretFile(path))
        } catch {
            let fault = SettingsError(
                .unreadableFile, name + SettingKey<Root>.fileSuffix, value: path, expected: error.sentence,
                source: twin.source)
            faults.append(fault)
            return nil
        }
    }
}
