public import Crypto
public import JSON
import Syntax

/// What a token will be before it is signed: header and claims, each of them open to change.
public struct TokenDraft: Sendable {
    public var header: JSONObject
    public var claims: JSONObject

    public init(header: JSONObject, claims: JSONObject) {
        self.header = header
        self.claims = claims
    }

    public func changed(_ change: (inout TokenDraft) -> Void) -> TokenDraft {
        var draft = self
        change(&draft)
        return draft
    }

    /// The compact serialization with a real signature, whatever the header says.
    public func signed(by key: PrivateKey, with algorithm: SignatureAlgorithm) throws -> String {
        try Self.signed(
            header: JSONValue.object(header).serialized, payload: JSONValue.object(claims).serialized, by: key,
            with: algorithm)
    }

    public static func signed(
        header: [UInt8], payload: [UInt8], by key: PrivateKey, with algorithm: SignatureAlgorithm
    ) throws -> String {
        let input = Base64URL.encode(header) + "." + Base64URL.encode(payload)
        return input + "." + Base64URL.encode(try key.sign(Array(input.utf8), with: algorithm))
    }
}

extension JSONObject {
    /// Sets a member, or removes it with nil; the others keep their order.
    public subscript(setting name: String) -> JSONValue? {
        get { self[name] }
        set {
            var others = members
            if let index = others.firstIndex(where: { $0.name == name }) {
                if let newValue { others[index].value = newValue } else { others.remove(at: index) }
            } else if let newValue {
                others.append((name, newValue))
            }
            self = JSONObject(others)
        }
    }
}
