import Providers
import SignIn
import TestSupport
import Testing

@Suite struct `A provider directory` {
    private let directory = ProviderRegistry([
        Provider(.zenkey { $0.clientID = "ccid-a" }),
        Provider(
            .openID {
                $0.name = "first"; $0.clientID = "shared"
            }),
        Provider(
            .openID {
                $0.name = "second"; $0.clientID = "shared"
            }),
    ])

    private func found(
        _ name: String?, _ clientID: String?, namesNetwork: Bool = false
    ) throws(ServiceError) -> String {
        try directory.provider(named: name, clientID: clientID, namesNetwork: namesNetwork).configuration.name
    }

    @Test func `finds a provider by its name or by our identifier there`() throws {
        #expect(try found("zenkey", nil) == "zenkey")
        #expect(try found(nil, "ccid-a") == "zenkey")
        #expect(try found("zenkey", "ccid-a") == "zenkey")
        #expect(try found("second", "shared") == "second")
    }

    @Test func `finds none that does not exist`() {
        #expect(throws: ServiceError.unknownProvider) { try found("nobody", nil) }
        #expect(throws: ServiceError.unknownProvider) { try found("nobody", "ccid-a") }
        #expect(throws: ServiceError.unknownClient) { try found(nil, "nobody") }
        #expect(throws: ServiceError.unknownClient) { try found(nil, "CCID-A") }
    }

    @Test func `finds none when name and identifier disagree`() {
        #expect(throws: ServiceError.unknownClient) { try found("zenkey", "shared") }
    }

    @Test func `a provider directory must be told one of them`() {
        #expect(throws: ServiceError.invalidParameter(ParameterError("client_id", "is missing"))) {
            try found(nil, nil)
        }
    }

    @Test func `finds the only one, and the only one of a network's carriers`() throws {
        #expect(try found(nil, nil, namesNetwork: true) == "zenkey")
        #expect(throws: ServiceError.unknownClient) { try found(nil, "nobody", namesNetwork: true) }
        #expect(throws: ServiceError.unknownProvider) { try found("nobody", nil, namesNetwork: true) }
        let one = ProviderRegistry([Provider(.openID())])
        #expect(try one.provider(named: nil, clientID: nil, namesNetwork: false).configuration.name == "openid")
        #expect(throws: ServiceError.unknownClient) {
            try one.provider(named: nil, clientID: "nobody", namesNetwork: false)
        }
        let two = ProviderRegistry([
            Provider(.zenkey { $0.name = "ios" }), Provider(.zenkey { $0.clientID = "ccid-android" }),
        ])
        #expect(throws: ServiceError.self) { try two.provider(named: nil, clientID: nil, namesNetwork: true) }
    }

    @Test func `a provider directory must be told the name when several have the identifier`() {
        #expect {
            try found(nil, "shared")
        } throws: { error in
            guard case .invalidParameter(let parameter) = error as? ServiceError else { return false }
            return parameter.name == "provider"
        }
    }
}
