internal import JSON

/// One key of the configuration, written down once: its name, what it takes, where it goes, and what it is for.
///
/// Loading, validation, the search for a misspelled key, the effective configuration and the reference are all made
/// from these rows. A row has no default of its own: the default is what the property holds in a fresh `Root`.
package struct SettingKey<Root: Sendable>: Sendable {
    /// The name, with dots between sections: `http.port`.
    package let name: String
    let type: SettingType
    /// What the key takes, as it completes "expected …".
    let expected: String
    /// A secret is never shown, and may be given as a file by the key's `…File` twin.
    let isSecret: Bool
    /// What the key is for, one sentence.
    let help: String
    let write: @Sendable (SettingContent, inout Root) throws(ValueError) -> Void
    let show: @Sendable (Root) -> JSONValue

    package init<Value>(
        _ name: String, _ property: any WritableKeyPath<Root, Value> & Sendable, _ kind: ValueKind<Value>,
        _ help: String
    ) {
        (self.name, self.help) = (name, help)
        type = kind.type
        expected = kind.expected
        isSecret = kind.isSecret
        write = { content, root throws(ValueError) in root[keyPath: property] = try kind.read(content) }
        show = { root in kind.show(root[keyPath: property]) }
    }

    /// The same key, of another root.
    init<Other>(
        _ key: SettingKey<Other>, write: @escaping @Sendable (SettingContent, inout Root) throws(ValueError) -> Void,
        show: @escaping @Sendable (Root) -> JSONValue
    ) {
        (name, type, expected, isSecret, help) = (key.name, key.type, key.expected, key.isSecret, key.help)
        (self.write, self.show) = (write, show)
    }

    /// The components of the name.
    var path: [String] { name.split(separator: ".").map(String.init) }

    /// The name of the twin that names a file with the value.
    var fileTwin: String { name + Self.fileSuffix }

    /// The components of the twin's name.
    var fileTwinPath: [String] { fileTwin.split(separator: ".").map(String.init) }

    static var fileSuffix: String { "File" }
}

/// A value that its key doesn't take.
package struct ValueError: Error {
    /// What was refused: the value, or the element of a list.
    let value: String
    let expected: String
    /// Which element of a list it is, counted from 1; nil for a value that is refused as a whole.
    var position: Int?
    /// The other elements of the same list that are refused.
    private(set) var others: [ValueError] = []

    package init(value: String, expected: String, position: Int? = nil) {
        (self.value, self.expected, self.position) = (value, expected, position)
    }

    func with(_ others: some Collection<ValueError>) -> ValueError {
        var refusal = self
        refusal.others += others
        return refusal
    }
}
