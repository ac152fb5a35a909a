/// Claims that are more than a text, each as compact JSON by its name, in the order they came. Nothing here looks into
/// them: they are kept and handed on.
///
/// All of it is personal, so printing or dumping it shows nothing.
public struct TypedClaims: Sendable {
    public typealias Member = (name: String, json: String)

    public private(set) var members: [Member] = []

    public init() {}

    /// The JSON of that name; nil takes it away.
    public subscript(name: String) -> String? {
        get { members.first { $0.name == name }?.json }
        set {
            let index = members.firstIndex { $0.name == name }
            guard let newValue else {
                if let index { members.remove(at: index) }
                return
            }
            if let index { return members[index].json = newValue }
            members.append((name, newValue))
        }
    }

    public var isEmpty: Bool { members.isEmpty }
}

extension TypedClaims: Equatable, ExpressibleByDictionaryLiteral, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    public static func == (left: TypedClaims, right: TypedClaims) -> Bool {
        left.members.elementsEqual(right.members) { $0.name == $1.name && $0.json == $1.json }
    }

    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, json) in elements { self[name] = json }
    }

    public var description: String { "<redacted>" }
    public var debugDescription: String { "<redacted>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
