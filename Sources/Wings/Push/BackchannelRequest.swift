internal import Providers
package import SignIn
internal import Syntax

/// What an app posts to have its user asked on the phone. Every part was validated; there is no other way to make one.
package struct BackchannelRequest: Sendable {
    /// What is posted.
    package enum Parameter: String, ProviderParameterNames {
        case clientID = "client_id"
        case provider, mccmnc, mcc, mnc
        case loginHint = "login_hint"
        case context
        case acrValues = "acr_values"
        case correlationID = "correlation_id"

        /// The carrier asks its user anew each time, but is not told to have asked within any time.
        package static let unsupported = ["max_age"]
    }

    /// Whom an app says that is to be asked.
    enum Hint: Sendable {
        /// As in E.164.
        case phoneNumber(String)
        /// Of the carrier's.
        case subject(String)
    }

    /// Whom to ask, where the app says so.
    let hint: Hint?
    let network: MobileNetwork?
    /// What the user is shown; nil only where the provider's section lets apps do without.
    let context: String?
    /// Space separated, one at least.
    let acrValues: String?
    package let correlationID: String?

    /// Validates what an app sent.
    ///
    /// - Parameters:
    ///   - parameters: finds a parameter by its name; an empty one counts as absent.
    ///   - isForSession: whether the user of a session is meant, and nobody need be named.
    ///   - mayBeMinimal: whether the provider's section lets apps leave `context` out and name a subject.
    /// - Throws: `ParameterError` for the first parameter that does not fit.
    package init(
        _ parameters: (Parameter) -> String?, isForSession: Bool, mayBeMinimal: Bool
    ) throws(ParameterError) {
        func optional(_ name: Parameter) -> String? { parameters(name).flatMap { $0.isEmpty ? nil : $0 } }
        if isForSession {
            // The one person who may be asked in a session's name is its user.
            guard optional(.loginHint) == nil, optional(.mccmnc) == nil else {
                throw ParameterError("login_hint", "does not go with a session, whose own user is asked")
            }
            hint = nil
            network = nil
        } else {
            guard let text = optional(.loginHint) else { throw ParameterError("login_hint", "is missing") }
            let hint = try Self.hint(text, mayBeSubject: mayBeMinimal)
            self.hint = hint
            network = try Self.network(optional(.mccmnc), of: hint)
        }
        // On a phone's lock screen there are no lines and columns.
        context = try AuthorizedResponse.checked(context: optional(.context), mayHaveLines: false)
        if context == nil, !mayBeMinimal {
            throw ParameterError("context", "is missing: it is what the user is shown")
        }
        acrValues = try Self.levels(optional(.acrValues))
        correlationID = try AuthorizedResponse.checked(correlationID: optional(.correlationID))
    }

    private static func levels(_ text: String?) throws(ParameterError) -> String? {
        guard let text, !text.allBytes({ $0 == .space }) else { return nil }
        guard text.utf8.count <= AuthorizedResponse.maximumTextBytes, text.allBytes({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw ParameterError("acr_values", "has control characters, or is too long")
        }
        return text
    }

    private static func hint(_ text: String, mayBeSubject: Bool) throws(ParameterError) -> Hint {
        if isPhoneNumber(text) { return .phoneNumber(text) }
        guard mayBeSubject else {
            throw ParameterError("login_hint", "must be a phone number as in E.164: + and 7 to 15 digits")
        }
        // OpenID Connect Core §2: 255 ASCII characters. What begins as a number is one that has slipped.
        guard text.utf8.count <= 255, text.allBytes({ $0 > 0x20 && $0 < 0x7F }), !text.hasPrefix("+") else {
            throw ParameterError("login_hint", "must be a phone number as in E.164, or a subject of the carrier's")
        }
        return .subject(text)
    }

    /// By which the carrier is found; for a subject it is by that where no network is told.
    private static func network(_ text: String?, of hint: Hint) throws(ParameterError) -> MobileNetwork? {
        guard let text else {
            if case .subject = hint { return nil }
            throw ParameterError("mccmnc", "is missing")
        }
        guard let network = MobileNetwork(text), network.hasSixDigits else {
            throw ParameterError("mccmnc", "must be six digits")
        }
        return network
    }

    /// ITU-T E.164 §6.2.1: 15 digits at most, of which the first is not 0.
    private static func isPhoneNumber(_ text: String) -> Bool {
        let digits = text.utf8.dropFirst()
        return text.utf8.first == UInt8(ascii: "+") && (7...15).contains(digits.count)
            && digits.allSatisfy { (0x30...0x39).contains($0) } && digits.first != 0x30
    }
}
