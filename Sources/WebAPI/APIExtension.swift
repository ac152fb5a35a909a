package import JSON
import Providers
package import SignIn

/// What a wing brings to the public listener, and to what the documents say of it.
///
/// A value: routes, documents and errors are derived from it.
package struct APIExtension: Sendable {
    /// Whether its operations are there, by the providers that are configured. The document has them in any case.
    package var isOn: @Sendable (ProviderRegistry) -> Bool
    /// Those that only its operations are in.
    package var groups: [OperationGroup] = []
    package var operations: [Operation<APIServices>]
    /// The schemas of what is sent, and of what is answered.
    package var requestSchemas: [(name: String, value: JSONValue)] = []
    package var answerSchemas: [(name: String, value: JSONValue)] = []
    package var errors: [WingError] = []
    /// Where its clients look for the issuer's metadata, beside where that is for all.
    package var metadataPaths: [String] = []
    /// Whether it has a page on which people take back what they have agreed to.
    package var takesConsentBack = false
    /// What `POST /users` does for somebody who has no link ticket; nil where the wing has nothing of it.
    package var registration: TicketlessRegistration?

    package init(isOn: @escaping @Sendable (ProviderRegistry) -> Bool, operations: [Operation<APIServices>]) {
        (self.isOn, self.operations) = (isOn, operations)
    }
}

/// What a wing makes of `POST /users` without a link ticket.
package struct TicketlessRegistration: Sendable {
    /// What is posted then, in the document.
    package let members: [(name: String, value: JSONValue)]
    package let success: OperationDescription.Success
    package let handler: @Sendable (APIServices) -> Handler

    package init(
        members: [(name: String, value: JSONValue)], success: OperationDescription.Success,
        handler: @escaping @Sendable (APIServices) -> Handler
    ) {
        (self.members, self.success, self.handler) = (members, success, handler)
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
    func present(at providers: ProviderRegistry) -> APIExtensions { APIExtensions(all.filter { $0.isOn(providers) }) }
}
