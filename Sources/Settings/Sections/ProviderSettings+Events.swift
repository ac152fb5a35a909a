internal import Providers
internal import Syntax

/// What a provider tells of a user that can lock the whole user, and not the provider's own identity alone.
enum LockingEvent: String, Sendable, CaseIterable {
    /// Somebody else has got hold of the account (RISC 1.0 §2.3, `account-disabled` for `hijacking`).
    case hijacking
}

extension ProviderSettings {
    private static let secondsPerDay: Int64 = 86_400

    /// How the provider tells us of events; nil where it does not.
    ///
    /// - Throws: the fault without which it would.
    func eventReceiving() throws(SettingsError) -> EventReceiving? {
        guard let events else { return nil }
        return EventReceiving(
            try sender(events), audiences: eventAudiences,
            maximumAgeSeconds: Int64(eventMaxAgeDays) * Self.secondsPerDay)
    }

    private func sender(_ events: EventDialect) throws(SettingsError) -> EventReceiving.Sender {
        switch events {
        case .apple: return .apple
        case .facebook: return .facebook
        case .risc:
            guard let eventConfigurationURL else {
                let expected =
                    "where the transmitter's configuration lies, such as "
                    + "https://accounts.google.com/.well-known/risc-configuration: events risc needs it"
                throw SettingsError(.missing, key("eventConfigurationURL"), value: "", expected: expected)
            }
            return .risc(configuration: eventConfigurationURL)
        }
    }

    /// What is wrong with the keys about events together.
    func eventRules() -> [SettingsError] {
        guard let events else {
            return withoutEffect(["eventAudiences", "eventConfigurationURL", "eventMaxAgeDays"], "events is empty")
        }
        let unused: Set<String> =
            switch events {
            case .apple: ["eventConfigurationURL"]
            case .risc: []
            case .facebook: ["eventConfigurationURL", "eventAudiences"]
            }
        var faults = withoutEffect(unused, "events \(events.rawValue) does not take it")
        do throws(SettingsError) { _ = try sender(events) } catch { faults.append(error) }
        if let address = eventConfigurationURL, !address.isSecure, !(allowLoopbackHTTP && address.isLoopback) {
            let expected = "an https URL, or one of a loopback address with allowLoopbackHTTP: true for development"
            faults.append(SettingsError(.value, key("eventConfigurationURL"), value: address.text, expected: expected))
        }
        if profile.findsIssuerByNetwork {
            let expected = "nothing: profile \(profile.name) has no one issuer whose word it could be"
            faults.append(SettingsError(.conflict, key("events"), value: events.rawValue, expected: expected))
        }
        if events == .facebook, ![.basic, .post, .secretJWT].contains(clientAuthentication) {
            let expected =
                "another way than \(clientAuthentication.rawValue): what Facebook posts is signed with clientSecret"
            faults.append(
                SettingsError(
                    .conflict, key("clientAuthentication"), value: clientAuthentication.rawValue, expected: expected))
        }
        return faults
    }

    /// The faults of what is set and never looked at.
    private func withoutEffect(_ names: Set<String>, _ reason: String) -> [SettingsError] {
        KeysWithoutEffect.faults(
            Self.keys, names, under: key(""), in: self, fresh: fresh, because: reason)
    }
}
