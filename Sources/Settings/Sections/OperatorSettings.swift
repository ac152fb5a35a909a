internal import Crypto
internal import Syntax
internal import System

/// One operator: what they prove themselves by on the listener for operators, and what they may do there.
struct OperatorSettings: NamedSection {
    static let word = "admin.tokens"
    static let list = "admin.tokens"
    static let noun = "an operator"
    static var keys: [SettingKey<Self>] { SettingKey<Self>.all }
    static var place: any WritableKeyPath<Settings, Listed<Self>> & Sendable { \.listedOperators }

    let name: String
    var token: Secret?
    /// The SHA-256 of the operator's certificate.
    var certificate: [UInt8]?
    var roles: [Settings.OperatorRole] = []
    /// From when on the token is refused, in seconds since 1970; nil: never.
    var expiresAt: Int64?

    init(name: String) {
        self.name = name
    }

    /// What the audit trail calls those who have no name of their own.
    private static let taken = ["admin", "loopback"]

    /// The operator as they are let in.
    ///
    /// - Throws: the fault without which there would be one.
    func configured() throws(SettingsError) -> Settings.Operator {
        guard token != nil || certificate != nil else {
            let expected = "the token that the operator sends, here or in a file that tokenFile names"
            throw SettingsError(.missing, key("token"), value: "", expected: expected)
        }
        return Settings.Operator(
            name: name, token: token, certificate: certificate, roles: roles, expiresAt: expiresAt)
    }

    /// What is wrong with this operator's keys together.
    func rules() -> [SettingsError] {
        var faults: [SettingsError] = []
        if Self.taken.contains(name) {
            let expected = "another name: the audit trail uses this one for admin.token, or for no token"
            faults.append(SettingsError(.conflict, path, value: name, expected: expected))
        }
        if roles.isEmpty {
            let expected = "a role at least: " + Settings.OperatorRole.allCases.map(\.rawValue).joined(separator: ", ")
            faults.append(SettingsError(.missing, key("roles"), value: "[]", expected: expected))
        }
        do throws(SettingsError) { _ = try configured() } catch { faults.append(error) }
        return faults
    }
}

extension SettingKey where Root == OperatorSettings {
    /// Every key of an operator's section, in the order of the reference.
    static let all: [Self] = [
        Self(
            "token", \.token, .secret(.ownSecret),
            "Bearer token that the operator sends, and nobody else; this or certificateSHA256 is required."),
        Self(
            "certificateSHA256", \.certificate, .optional(.fingerprint),
            "SHA-256 of the certificate by which the operator may come instead, which admin.tls.clientCAFile has issued: "
                + "openssl x509 -in FILE -noout -fingerprint -sha256."),
        Self(
            "roles", \.roles, .list(.choice),
            "What the operator may do, one at least: auditor reads what is not personal; support finds users, looks and ends "
                + "sessions; operator does everything; metrics reads the metrics and nothing else."),
        Self(
            "expires", \.expiresAt, .optional(.day),
            "The first day, in UTC, on which the token is refused; empty: it never expires."),
    ]
}

extension TextRule where Value == [UInt8] {
    /// A SHA-256, as commands print it.
    static var fingerprint: Self {
        TextRule("a SHA-256: 64 hexadecimal digits, colons between them or none") { hash in
            hash.map { byte in
                String(
                    decoding: [(byte >> 4).uppercaseHexadecimalDigit, (byte & 15).uppercaseHexadecimalDigit],
                    as: UTF8.self)
            }.joined(separator: ":")
        } accept: { text in
            let digits = text.utf8.filter { $0 != UInt8(ascii: ":") }.map(\.hexadecimalValue)
            guard digits.count == 64, !digits.contains(nil) else { return nil }
            let values = digits.compactMap(\.self)
            return stride(from: 0, to: 64, by: 2).map { values[$0] << 4 | values[$0 + 1] }
        }
    }
}

extension TextRule where Value == Int64 {
    /// A day, by when it begins in UTC.
    static var day: Self {
        TextRule("a day, such as 2027-01-31") {
            CalendarTime.date($0)
        } accept: {
            CalendarTime.seconds(date: $0)
        }
    }
}
