package import JSON
package import SignIn

/// What a wing brings to the public listener, and to what the documents say of it.
///
/// A value: routes, documents and errors are derived from it.
package struct APIExtension: Sendable {
    /// Whether its operations are there. The document has them in any case.
    package var isOn: Bool
    package var group: OperationGroup
    package var operations: [Operation<APIServices>]
    /// The schemas of what is sent, and of what is answered.
    package var requestSchemas: [(name: String, value: JSONValue)]
    package var answerSchemas: [(name: String, value: JSONValue)]
    package var errors: [WingError]
    /// Where its clients look for the issuer's metadata, beside where that is for all.
    package var metadataPaths: [String]
    /// Whether it has a page on which people take back what they have agreed to.
    package var takesConsentBack = false

    package init(
        isOn: Bool, group: OperationGroup, operations: [Operation<APIServices>],
        requestSchemas: [(name: String, value: JSONValue)], answerSchemas: [(name: String, value: JSONValue)],
        errors: [WingError], metadataPaths: [String]
    ) {
        self.isOn = isOn
        self.group = group
        self.operations = operations
        self.requestSchemas = requestSchemas
        self.answerSchemas = answerSchemas
        self.errors = errors
        self.metadataPaths = metadataPaths
    }
}

/// What all wings bring.
public struct APIExtensions: Sendable {
    /// Without any wing.
    public static let none = APIExtensions([])

    package let all: [APIExtension]

    package init(_ all: [APIExtension]) {
        self.all = all
    }

    /// What those bring that are on.
    var present: [APIExtension] { all.filter(\.isOn) }
}
