internal import Crypto
import Syntax

/// What a dialect calls its subscribers.
struct DialectSubject: Sendable {
    enum Form: Sendable {
        case opaque, digits, hexadecimal, identifier
        /// No name of its own: the number is the subject.
        case phoneNumber
    }

    /// To whom a subscriber is one and the same.
    enum Audience: Sendable {
        case everybody
        case oneClient
        /// The clients of one team, which an app may leave for another one.
        case team
    }

    let form: Form
    var prefix = ""
    var audience = Audience.everybody

    /// - Parameters:
    ///   - owner: the name of the dialect.
    ///   - team: where the subscriber's app is now.
    func text(of name: String, for clientID: String, of owner: String, team: String) -> String {
        let audience =
            switch audience {
            case .everybody: ""
            case .oneClient: clientID
            case .team: team
            }
        let hash = HMAC.sha256(Array("\(audience)\u{0}\(name)".utf8), key: Array("subject \(owner)".utf8))
        return switch form {
        case .opaque: prefix + Base64URL.encode(Array(hash.prefix(24)))
        case .digits: prefix + hash.prefix(20).map { String($0 % 10) }.joined()
        case .hexadecimal: prefix + Hexadecimal.encode(Array(hash.prefix(16)))
        case .identifier: prefix + Self.identifier(hash)
        case .phoneNumber: Subscriber.named(name)?.phoneNumber ?? ""
        }
    }

    /// A UUID that follows from a hash of at least 16 bytes.
    static func identifier(_ hash: [UInt8]) -> String {
        let digits = Array(Hexadecimal.encode(Array(hash.prefix(16))).utf8)
        let parts = [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
        return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
    }
}
