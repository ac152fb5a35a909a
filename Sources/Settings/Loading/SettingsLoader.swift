internal import Crypto
internal import Observability
internal import YAML

/// Reads layer by layer, key by key, and collects what is wrong on the way.
struct SettingsLoader {
    private let path: String?
    let wings: [any WingSettings.Type]
    private let environment: [String: String]
    /// Those variables that Kubernetes made for its services.
    private let ofServices: [String: String]
    let files: SettingsFiles
    /// The strongest first.
    private(set) var layers: [SettingLayer]
    private(set) var document: YAMLDocument?
    var faults: [SettingsError] = []
    var notices: [SettingsNotice] = []
    var sources: [String: SettingSource] = [:]

    init(file: String?, environment: [String: String], wings: [any WingSettings.Type], files: SettingsFiles) {
        path = file
        (self.wings, self.files) = (wings, files)
        // Container files hand on variables that nobody set as empty ones.
        let given = environment.filter { !$0.value.isEmpty }
        ofServices = given.filter { KubernetesVariables.isOne($0.key, value: $0.value) }
        self.environment = given.filter { !KubernetesVariables.isOne($0.key, value: $0.value) }
        layers = [.environment(self.environment)]
    }

    mutating func load() -> LoadedSettings {
        readConfigurationFile()
        let isComplete = faults.isEmpty
        var settings = Settings(wings: wings)
        read(settings.keys, under: [], of: layers, into: &settings)
        var listings: [SectionListing] = []
        for kind in SectionKinds.all { listings.append(readSections(of: kind, into: &settings)) }
        notices += KubernetesVariables.notices(ofServices, keys: settings.keys, prefixes: listings.flatMap(\.prefixes))
        // Without the file every key looks as if it were missing: the environment's faults are all there is to say.
        guard isComplete else { return .faulty(faults, notices: notices) }
        readLogo(into: &settings)
        readProviderLogos(into: &settings)
        readAssociationFiles(into: &settings)
        checkKeys(settings.keys, listings)
        for report in EnvironmentNames(settings.keys, listings, environment).reports(environment) {
            switch report {
            case .fault(let fault): faults.append(fault)
            case .notice(let notice): notices.append(notice)
            }
        }
        check(settings)
        var openTelemetry = OpenTelemetryVariables(environment)
        settings.traces.export = openTelemetry.export()
        notices += openTelemetry.notices
        notices += settings.notices() + settings.noticesOfSharedRedirectURIs()
        notices += noticesOfProxies(settings)
        guard faults.isEmpty else { return .faulty(faults, notices: notices) }
        do throws(SettingsError) {
            try settings.makeWhatIsServed()
        } catch {
            return .faulty([error], notices: notices)
        }
        return .valid(settings, effective: settings.effective(sources), notices: notices)
    }

    /// What others take for their proxy from the environment, and would here, too.
    private func noticesOfProxies(_ settings: Settings) -> [SettingsNotice] {
        guard settings.http.outboundProxy == nil else { return [] }
        return ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"].filter { environment[$0] != nil }.map {
            SettingsNotice($0, "is set, and not used: name the proxy in http.outboundProxy, or direct for none")
        }
    }

    /// How log lines are written, as far as that can be known: also from a configuration that is faulty elsewhere.
    mutating func logFormat() -> LogFormat {
        readConfigurationFile()
        var settings = Settings(wings: [])
        read(settings.keys.filter { $0.name == "log.format" }, under: [], of: layers, into: &settings)
        return settings.log.format
    }

    private mutating func readConfigurationFile() {
        guard let path else { return }
        let text: String
        do {
            text = try files.text(path)
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

    /// Reads the list of a kind, and the sections of the names in it.
    private mutating func readSections<Section: NamedSection>(
        of kind: Section.Type, into settings: inout Settings
    ) -> SectionListing {
        // Without a list to rely on, no section is looked at: what was meant to be used is unknown.
        guard !faults.contains(where: { $0.key == kind.list }) else {
            settings[keyPath: kind.place].names = []
            return SectionListing(kind: kind, names: nil)
        }
        if kind.listsItself { settings[keyPath: kind.place].names = ownNames(of: kind) }
        let names = settings[keyPath: kind.place].names
        let inEnvironment = names.filter { hasVariables(kind, $0) }
        for name in names {
            let layers = inEnvironment.contains(name) ? layers : layers.filter { !$0.isEnvironment }
            var section = Section(name: name)
            let path = kind.components(of: name)
            read(kind.keys.filter { kind.presetKeys.contains($0.name) }, under: path, of: layers, into: &section)
            section.takePreset()
            read(kind.keys.filter { !kind.presetKeys.contains($0.name) }, under: path, of: layers, into: &section)
            section.deriveDefaults()
            settings[keyPath: kind.place].sections.append(section)
        }
        return SectionListing(kind: kind, names: names)
    }

    /// The names of sections that no other key lists, as the file has them.
    private mutating func ownNames(of kind: any NamedSection.Type) -> [String] {
        guard case .mapping(let entries)? = section(of: kind)?.content else { return [] }
        var names: [String] = []
        for entry in entries where !entry.key.contains(".") && !names.contains(entry.key) {
            do throws(ValueError) {
                names.append(try TextRule<String>.sectionName.read(entry.key))
            } catch {
                faults.append(
                    SettingsError(
                        .value, kind.word, value: error.value, expected: error.expected,
                        source: .file(line: entry.line)))
            }
        }
        return names
    }

    /// What the file has for all sections of a kind.
    func section(of kind: any NamedSection.Type) -> YAMLNode? {
        document?.root.node(at: kind.word.split(separator: ".").map(String.init))
    }

    /// Whether any variable is a section's. Asked first, because spelling the variable of each key of many sections
    /// takes longer than all the rest of reading them.
    private func hasVariables(_ kind: any NamedSection.Type, _ name: String) -> Bool {
        let prefix = EnvironmentNames.prefix(of: kind, name)
        return environment.keys.contains { $0.hasPrefix(prefix) }
    }
}

/// What was read of a kind of section.
struct SectionListing: Sendable {
    let kind: any NamedSection.Type
    /// The names that are listed; nil where that is not known.
    let names: [String]?

    /// What the variables of the listed sections start with.
    var prefixes: [String] { (names ?? []).map { EnvironmentNames.prefix(of: kind, $0) } }
}

extension SettingsLoader {
    /// Reads the given keys into `root`; what is not given keeps its default.
    mutating func read<Root>(
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
            if key.isSecret { noteEdges(content, name) }
            do {
                try key.write(content, &root)
            } catch {
                for refusal in [error] + error.others {
                    refuse(key, name, refusal.value, refusal.expected, finding.source, position: refusal.position)
                }
            }
        }
    }

    /// Tells of a secret that begins or ends as none does: with white space, or in the quotation marks of a shell,
    /// which an environment file keeps. What is refused then is told by nobody else.
    private mutating func noteEdges(_ content: SettingContent, _ name: String) {
        let texts =
            switch content {
            case .text(let text): [text]
            case .list(let texts): texts
            case .number, .flag: [String]()
            }
        // A key in PEM ends with a line end.
        for text in texts where !text.contains("-----BEGIN ") {
            guard let first = text.first, let last = text.last else { continue }
            if first.isWhitespace || last.isWhitespace {
                notices.append(
                    SettingsNotice(name, "begins or ends with white space, which is a part of the secret then"))
            }
            if text.count > 1, first == last, first == "\"" || first == "'" {
                notices.append(SettingsNotice(name, "is between quotation marks, which are a part of the secret then"))
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
            var text = try files.text(path)
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
