internal import Syntax

extension JSONValue {
    /// Whether every text in it, however deep it lies, is as it looks (``VisibleText``). Values may have lines, as an
    /// address has; names of members have none.
    public var isVisible: Bool {
        switch self {
        case .string(let text): VisibleText.fault(of: text, mayHaveLines: true) == nil
        case .array(let elements): elements.allSatisfy(\.isVisible)
        case .object(let object):
            object.members.allSatisfy { VisibleText.fault(of: $0.name) == nil && $0.value.isVisible }
        case .doubtful: shown?.isVisible == true
        case .null, .boolean, .integer, .number: true
        }
    }
}
