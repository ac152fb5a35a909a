internal import Crypto

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
