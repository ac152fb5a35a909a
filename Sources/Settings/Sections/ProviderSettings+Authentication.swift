internal import Crypto
internal import Providers

extension ProviderSettings {
    /// How the provider's endpoints learn who we are.
    ///
    /// - Throws: the fault without which they would.
    func authentication() throws(SettingsError) -> ClientAuthentication {
        switch clientAuthentication {
        case .basic: .basic(clientID: clientID, secret: try secret(), encoding: basicEncoding)
        case .post: .post(clientID: clientID, secret: try secret())
        case .publicClient: .publicClient(clientID: clientID)
        case .secretJWT: try assertion(.secret(try secret()))
        case .privateKey: try assertion(try assertionKey())
        case .apple: try appleSecret()
        }
    }

    /// What is configured for another way of authentication than the chosen one.
    func authenticationRules() -> [SettingsError] {
        let way = clientAuthentication
        let audience = assertionAudience == .token ? nil : assertionAudience.rawValue
        let keys: [(name: String, given: String?, isUsed: Bool)] = [
            ("clientSecret", clientSecret.map { _ in Secret.redacted }, [.basic, .post, .secretJWT].contains(way)),
            (
                "clientKey", clientKey.map { _ in Secret.redacted },
                [.privateKey, .apple].contains(way) || serverInitiated
            ),
            ("clientKeyID", clientKeyID, (way == .privateKey || serverInitiated) && clientKey != nil),
            ("assertionAlgorithm", assertionAlgorithm?.rawValue, way == .privateKey),
            ("assertionAudience", audience, [.privateKey, .secretJWT].contains(way)),
            ("appleTeamID", appleTeamID, way == .apple), ("appleKeyID", appleKeyID, way == .apple),
        ]
        return keys.compactMap { name, given, isUsed in
            guard let given, !isUsed else { return nil }
            let expected = "nothing: with clientAuthentication \(way.rawValue) it is never used"
            return SettingsError(.conflict, key(name), value: given, expected: expected)
        }
    }

    /// What makes an assertion weaker than it looks, though it holds.
    var secretNotice: SettingsNotice? {
        // RFC 7518 §3.2
        guard clientAuthentication == .secretJWT, let clientSecret, clientSecret.count < 32 else { return nil }
        return SettingsNotice(
            key("clientSecret"),
            "has fewer than 32 bytes: a reader of one assertion can try secrets until one fits; ask for a longer one")
    }

    private func assertion(_ key: ClientAssertion.Key) throws(SettingsError) -> ClientAuthentication {
        do throws(CryptoError) {
            return .assertion(try ClientAssertion(clientID: clientID, key: key, audience: assertionAudience))
        } catch {
            throw SettingsError(
                .value, self.key("clientKey"), value: Secret.redacted, expected: "an RSA key or a key of curve P-256")
        }
    }

    private func assertionKey() throws(SettingsError) -> ClientAssertion.Key {
        guard let clientKey else { return .shared((assertionAlgorithm ?? .rs256).algorithm) }
        if let assertionAlgorithm, !assertionAlgorithm.algorithm.fits(clientKey.publicKey.keyType) {
            throw SettingsError(
                .conflict, key("assertionAlgorithm"), value: assertionAlgorithm.rawValue,
                expected: "\(assertionAlgorithm.keys) in clientKeyFile, or no such key: the file's key decides")
        }
        return .own(clientKey, keyID: clientKeyID)
    }

    private func appleSecret() throws(SettingsError) -> ClientAuthentication {
        let teamID = try given(appleTeamID, "appleTeamID", "the ten characters of the developer account's team")
        let keyID = try given(appleKeyID, "appleKeyID", "the ten characters that Apple calls the key")
        let key = try given(clientKey, "clientKey", "Apple's .p8 file, which clientKeyFile names")
        do throws(CryptoError) {
            return .apple(
                try ([clientID] + audiences.map(\.clientID)).map { client throws(CryptoError) in
                    try AppleClientSecret(clientID: client, teamID: teamID, keyID: keyID, key: key)
                })
        } catch {
            throw SettingsError(
                .value, self.key("clientKey"), value: Secret.redacted,
                expected: "a key of curve P-256, as Apple's .p8 files hold")
        }
    }

    /// What server-initiated requests are signed with; nil where there are none.
    ///
    /// - Throws: the fault without which they would be.
    func requestSigner() throws(SettingsError) -> RequestSigner? {
        guard serverInitiated else { return nil }
        guard let clientKey else { return .shared }
        do throws(CryptoError) {
            return try RequestSigner(key: clientKey, keyID: clientKeyID)
        } catch {
            throw SettingsError(
                .conflict, key("serverInitiated"), value: "true",
                expected: "an RSA key in clientKeyFile, or none: carriers verify RS256")
        }
    }

    private func secret() throws(SettingsError) -> Secret {
        try given(clientSecret, "clientSecret", "the client's secret, here or in a file that clientSecretFile names")
    }

    private func given<Value>(_ value: Value?, _ name: String, _ expected: String) throws(SettingsError) -> Value {
        guard let value else { throw SettingsError(.missing, key(name), value: "", expected: expected) }
        return value
    }
}
