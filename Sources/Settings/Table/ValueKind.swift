internal import Apps
package import Crypto
internal import JSON

/// What a key takes: the type it is looked up as, and the way from there to the property's type and back.
package struct ValueKind<Value: Sendable>: Sendable {
    let type: SettingType
    let expected: String
    var isSecret = false
    let read: @Sendable (SettingContent) throws(ValueError) -> Value
    let show: @Sendable (Value) -> JSONValue
}

extension ValueKind where Value == Bool {
    package static var flag: Self {
        ValueKind(type: .flag, expected: "true or false") { content throws(ValueError) in
            guard case .flag(let flag) = content else { throw .notOfType(content, "true or false") }
            return flag
        } show: {
            .boolean($0)
        }
    }
}

extension ValueKind where Value == Int {
    package static func number(_ range: ClosedRange<Int>) -> Self {
        .integer(range, "a whole number from \(range.lowerBound) to \(range.upperBound)") {
            $0
        } back: {
            $0
        }
    }
}

extension ValueKind where Value == UInt16 {
    /// A port to listen on.
    package static var port: Self {
        .integer(0...65535, "a port from 1 to 65535, or 0 for one that the kernel chooses") {
            UInt16(clamping: $0)
        } back: {
            Int($0)
        }
    }
}

extension ValueKind where Value == Int? {
    /// A limit that 0 turns off.
    package static func limit(upTo maximum: Int) -> Self { positive(upTo: maximum, zero: "no limit") }

    /// A positive number, for which 0 stands for something else.
    package static func positive(upTo maximum: Int, zero: String) -> Self {
        .integer(0...maximum, "a whole number from 1 to \(maximum), or 0 for \(zero)") {
            $0 == 0 ? nil : $0
        } back: {
            $0 ?? 0
        }
    }
}

extension ValueKind where Value == Int? {
    /// A number of a key that has no default of its own.
    package static func numberIfGiven(_ range: ClosedRange<Int>) -> Self {
        let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        return ValueKind(type: .number, expected: expected) { content throws(ValueError) in
            guard case .number(let number) = content, range.contains(number) else {
                throw .notOfType(content, expected)
            }
            return number
        } show: {
            $0.map { .integer(Int64($0)) } ?? .null
        }
    }
}

extension ValueKind {
    fileprivate static func integer(
        _ range: ClosedRange<Int>, _ expected: String,
        _ value: @escaping @Sendable (Int) -> Value, back: @escaping @Sendable (Value) -> Int
    ) -> Self {
        ValueKind(type: .number, expected: expected) { content throws(ValueError) in
            guard case .number(let number) = content, range.contains(number) else {
                throw .notOfType(content, expected)
            }
            return value(number)
        } show: {
            .integer(Int64(back($0)))
        }
    }

    /// A text that must be there.
    package static func text(_ rule: TextRule<Value>) -> Self {
        ValueKind(type: .text, expected: rule.expected) { content throws(ValueError) in
            guard case .text(let text) = content else { throw .notOfType(content, rule.expected) }
            return try rule.read(text)
        } show: {
            .string(rule.show($0))
        }
    }

    /// A text, or an empty one for none.
    package static func optional<Wrapped>(_ rule: TextRule<Wrapped>) -> Self where Value == Wrapped? {
        ValueKind(type: .text, expected: rule.expected) { content throws(ValueError) in
            guard case .text(let text) = content else { throw .notOfType(content, rule.expected) }
            return text.isEmpty ? nil : try rule.read(text)
        } show: {
            .string($0.map(rule.show) ?? "")
        }
    }

    /// A list of texts, none of them twice.
    package static func list<Element>(_ rule: TextRule<Element>, upTo maximum: Int = .max) -> Self
    where Value == [Element] {
        let size = maximum == .max ? "" : " of at most \(maximum)"
        let expected = "a list\(size); each element: \(rule.expected)"
        return ValueKind(type: .list, expected: expected) { content throws(ValueError) in
            guard case .list(let texts) = content else { throw .notOfType(content, expected) }
            guard texts.count <= maximum else {
                throw ValueError(value: "\(texts.count) elements", expected: expected)
            }
            var values: [Element] = []
            var refusals: [ValueError] = []
            for (index, text) in texts.enumerated() {
                do throws(ValueError) {
                    guard !texts[..<index].contains(text) else {
                        throw ValueError(value: text, expected: "each element once")
                    }
                    values.append(try rule.read(text))
                } catch {
                    refusals.append(ValueError(value: text, expected: error.expected, position: index + 1))
                }
            }
            if let first = refusals.first { throw first.with(refusals.dropFirst()) }
            return values
        } show: {
            .array($0.map { .string(rule.show($0)) })
        }
    }
}

extension ValueKind where Value == [NamedScopes] {
    /// Scopes by the name of an app.
    static var scopesByApp: Self {
        let list = Self.list(.namedScopes)
        return ValueKind(type: .lists, expected: TextRule.namedScopes.expected, read: list.read) { entries in
            .object(JSONObject(entries.map { ($0.app, .array($0.scopes.map { .string($0) })) }))
        }
    }
}

extension ValueKind where Value == PrivateKey? {
    package static var privateKey: Self {
        var kind = Self.optional(.privateKey)
        kind.isSecret = true
        return kind
    }
}

extension ValueKind where Value == Secret? {
    package static var secret: Self { .secret(.secret) }

    package static func secret(_ rule: TextRule<Secret>) -> Self {
        var kind = Self.optional(rule)
        kind.isSecret = true
        return kind
    }
}

extension ValueKind where Value == [APIKey] {
    static var apiKeys: Self {
        var kind = Self.list(.apiKey)
        kind.isSecret = true
        return kind
    }
}

extension ValueError {
    /// A value of another type or out of range.
    static func notOfType(_ content: SettingContent, _ expected: String) -> Self {
        let value =
            switch content {
            case .text(let text): text
            case .number(let number): String(number)
            case .flag(let flag): String(flag)
            case .list(let texts): texts.joined(separator: ", ")
            }
        return ValueError(value: value, expected: expected)
    }
}
