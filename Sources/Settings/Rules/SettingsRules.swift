internal import JSON

extension SettingsLoader {
    /// Checks what no key can check alone. A key that has a fault already, itself or through its `…File` twin, is
    /// left out: its value is not the one given.
    mutating func check(_ settings: Settings) {
        var broken = Set(faults.map(\.key))
        for key in broken where key.hasSuffix(SettingKey<Settings>.fileSuffix) {
            broken.insert(String(key.dropLast(SettingKey<Settings>.fileSuffix.count)))
        }
        var found = settings.rules(readFile)
        for provider in settings.providers { found += provider.rules(readFile) }
        for fault in found where !broken.contains(fault.key) {
            faults.append(
                SettingsFault(
                    fault.kind, fault.key, value: fault.value, expected: fault.expected, source: sources[fault.key]))
        }
    }
}

extension Settings {
    /// What is wrong with these settings as a whole, the providers' own rules apart.
    func rules(_ readFile: SettingsLoader.FileReader) -> [SettingsFault] {
        var faults: [SettingsFault] = []
        if providerNames.isEmpty {
            faults.append(
                SettingsFault(.missing, "providers", value: "[]", expected: "the name of a provider at least"))
        }
        if admin.token == nil, !admin.isOnLoopback {
            let expected = "a token that operators send, since admin.host is not a loopback address"
            faults.append(SettingsFault(.missing, "admin.token", value: "", expected: expected))
        }
        if case .postgres = storage.url {
            let expected = "file:PATH: this version stores in a file only"
            faults.append(
                SettingsFault(.notAvailable, "storage.url", value: SecretString.redacted, expected: expected))
        }
        if let audience = session.audience, let issuer = session.issuer?.text,
            audience == issuer + (issuer.hasSuffix("/") ? "receipts" : "/receipts")
        {
            let expected = "another audience: that one is the audience of receipts"
            faults.append(SettingsFault(.conflict, "session.audience", value: audience, expected: expected))
        }
        switch (http.tlsCertificateFile, http.tlsKeyFile) {
        case (_?, nil):
            faults.append(
                SettingsFault(.missing, "http.tlsKeyFile", expected: "the private key for http.tlsCertificateFile"))
        case (nil, _?):
            faults.append(
                SettingsFault(.missing, "http.tlsCertificateFile", expected: "the certificate for http.tlsKeyFile"))
        default: break
        }
        faults += PEMRule.certificates.fault("http.tlsCertificateFile", http.tlsCertificateFile, readFile)
        faults += PEMRule.privateKey.fault("http.tlsKeyFile", http.tlsKeyFile, readFile)
        return faults
    }

    /// What is given, differs from the default, and does nothing yet.
    func noticesWithoutEffect() -> [SettingsNotice] {
        let fresh = Settings()
        var notices = SettingKey<Settings>.all
            .filter { KeysWithoutEffect.ofSettings.contains($0.name) && $0.show(self) != $0.show(fresh) }
            .map { SettingsNotice($0.name, KeysWithoutEffect.notice) }
        for provider in providers { notices += provider.noticesWithoutEffect() }
        return notices
    }
}
