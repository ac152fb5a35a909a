public import JSON

/// What `check-config` and `print-config` say.
public enum SettingsReport {
    /// The effective configuration for people: a line each, `key = value`, and where the value comes from.
    public static func text(_ effective: [EffectiveSetting]) -> String {
        let lines = effective.map { ("\($0.key) = \(plain($0.value))", $0.source) }
        let width = min(lines.map(\.0.count).max() ?? 0, 60)
        return lines.map { line, source in
            line + String(repeating: " ", count: max(0, width - line.count)) + "  # \(source)\n"
        }.joined()
    }

    /// The effective configuration for machines: `{"settings":[{"key","value","source"}…],"notices":[…]}`.
    public static func json(_ effective: [EffectiveSetting], notices: [SettingsNotice]) -> JSONValue {
        [
            "settings": .array(
                effective.map { setting in
                    ["key": .string(setting.key), "value": setting.value, "source": .string("\(setting.source)")]
                }),
            "notices": json(notices),
        ]
    }

    /// Faults and notices for people, a line each.
    public static func text(_ faults: [SettingsError], notices: [SettingsNotice]) -> String {
        (faults.map { "fault: \($0)\n" } + notices.map { "notice: \($0)\n" }).joined()
    }

    /// Faults and notices for machines: `{"faults":[{"kind","key","value","expected","source"}…],"notices":[…]}`.
    public static func json(_ faults: [SettingsError], notices: [SettingsNotice]) -> JSONValue {
        [
            "faults": .array(
                faults.map { fault in
                    [
                        "kind": .string(fault.kind.rawValue), "key": .string(fault.key),
                        "value": fault.value.map { .string($0) } ?? .null, "expected": .string(fault.expected),
                        "source": fault.source.map { .string("\($0)") } ?? .null,
                    ]
                }),
            "notices": json(notices),
        ]
    }

    private static func json(_ notices: [SettingsNotice]) -> JSONValue {
        .array(notices.map { ["key": .string($0.key), "notice": .string($0.sentence)] })
    }

    /// A value on one line.
    static func plain(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): text.isEmpty ? "\"\"" : printable(text)
        case .array(let elements): "[" + elements.map(plain).joined(separator: ", ") + "]"
        default: String(decoding: value.serialized, as: UTF8.self)
        }
    }
}
