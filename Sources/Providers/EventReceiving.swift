public import Syntax

/// How a provider may tell us of events, as the operator describes it.
public struct EventReceiving: Sendable, Equatable {
    /// How what it sends is worded and signed.
    public enum Sender: Sendable, Equatable {
        /// With the keys of the provider itself.
        case apple
        /// With the keys that the transmitter's configuration document names.
        case risc(configuration: EndpointURL)
        /// With the secret of our client.
        case facebook
    }

    public var sender: Sender
    /// Identifiers of ours, beside the client's, that a token may be for.
    public var audiences: [String]
    /// How long ago what is sent may have been issued: a provider that got no answer sends it again for days.
    public var maximumAgeSeconds: Int64

    public init(_ sender: Sender, audiences: [String] = [], maximumAgeSeconds: Int64) {
        (self.sender, self.audiences, self.maximumAgeSeconds) = (sender, audiences, maximumAgeSeconds)
    }

    public var dialect: EventDialect {
        switch sender {
        case .apple: .apple
        case .risc: .risc
        case .facebook: .facebook
        }
    }
}
