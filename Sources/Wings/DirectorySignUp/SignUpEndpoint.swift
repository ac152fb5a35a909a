internal import Accounts
internal import HTTPServer
internal import JSON
internal import Providers
internal import SignIn
internal import WebAPI

/// Signing up for an account in a provider's directory of users, and getting another credential for one.
///
/// What goes by mail is answered alike for everybody: what was posted decides, and nothing else has been looked at.
struct SignUpEndpoint: Sendable {
    static let paths = [
        "/users/signup", "/recover-user", "/credential-binding-link", "/recover-credential-binding-link",
    ]

    /// Where sample apps of 2021 sign up, with an address and nothing else.
    static let enrollment = "/enroll"

    private static let parameters = ParameterTable<ProvisioningRequest.Parameter>()

    let signUp: DirectorySignUp
    let providers: ProviderRegistry
    let limits: AddressLimits

    /// How a credential is to come to its user.
    private enum Delivery: String {
        case email
        case returned = "return"
    }

    /// `POST /users/signup`
    func signUp(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        let (parameters, provider) = try read(context)
        return try await signUp(parameters, provider, context)
    }

    /// `POST /recover-user` and `POST /recover-credential-binding-link`: by mail, whatever an app asks for.
    func recover(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        let (parameters, provider) = try read(context)
        _ = try Self.delivery(parameters)
        let provisioning = try ProvisioningRequest(.recovery, { parameters[$0] }, needsAddress: false)
        try await signUp.order(provisioning, at: provider, from: context.network.base)
        return Self.mailed(provider)
    }

    /// `POST /credential-binding-link`: for the user of a session, or, without one, a sign-up.
    func link(_ context: RequestContext, _ principal: Principal?) async throws(ServiceError) -> HTTPResponse {
        let (parameters, provider) = try read(context)
        guard let session = principal?.session else { return try await signUp(parameters, provider, context) }
        guard try Self.delivery(parameters) != .email else {
            throw .invalidParameter(ParameterError("delivery_method", "must be return where there is a session"))
        }
        // Whatever name it is: the account is that of the session's user.
        let said = [.displayName, .name, .username].lazy.compactMap { parameters[$0] }.first
        if let said { _ = try ProvisioningRequest(.signUp, { $0 == .username ? said : nil }, needsAddress: false) }
        return Self.returned(
            try await signUp.link(under: session, displayName: said, at: provider, in: context.call), provider)
    }

    private func read(
        _ context: RequestContext
    ) throws(ServiceError) -> (RequestParameters<ProvisioningRequest.Parameter>, Provider) {
        try limits.count(context.network, as: .signUps)
        let parameters = try RequestParameters(context.request, Self.parameters)
        let provider = try providers.withDirectory(
            named: parameters[.provider], clientID: parameters[.clientID])
        context.provider = provider.configuration.name
        return (parameters, provider)
    }

    private func signUp(
        _ parameters: RequestParameters<ProvisioningRequest.Parameter>, _ provider: Provider, _ context: RequestContext
    ) async throws(ServiceError) -> HTTPResponse {
        let returnsLink =
            try Self.delivery(parameters) == .returned && provider.configuration.userAPI?.returnsLinks == true
        let provisioning = try ProvisioningRequest(.signUp, { parameters[$0] }, needsAddress: !returnsLink)
        if returnsLink {
            if let job = try await signUp.link(for: provisioning, at: provider, in: context.call) {
                return Self.returned(job, provider)
            }
        }
        try await signUp.order(provisioning, at: provider, from: context.network.base)
        return Self.mailed(provider)
    }

    private static func delivery(
        _ parameters: RequestParameters<ProvisioningRequest.Parameter>
    ) throws(ServiceError) -> Delivery? {
        if let type = parameters[.authenticatorType], !["native", "web"].contains(type) {
            throw .invalidParameter(ParameterError("authenticator_type", "is neither native nor web"))
        }
        guard let text = parameters[.deliveryMethod] else { return nil }
        guard let delivery = Delivery(rawValue: text) else {
            throw .invalidParameter(ParameterError("delivery_method", "is neither email nor return"))
        }
        return delivery
    }

    /// The same for everybody. Stock apps take a body with `message` beside `code` or `error` for a failure, so there
    /// is none.
    private static func mailed(_ provider: Provider) -> HTTPResponse {
        var writer = JSONWriter()
        writer.object { body in
            body.member("delivery", Delivery.email.rawValue)
            body.member("authenticator_url", provider.configuration.userAPI?.authenticatorURL ?? "")
        }
        return .secretJSON(writer.bytes)
    }

    private static func returned(_ job: BindingJob, _ provider: Provider) -> HTTPResponse {
        var writer = JSONWriter()
        writer.object { body in
            body.member("delivery", Delivery.returned.rawValue)
            body.member("authenticator_url", provider.configuration.userAPI?.authenticatorURL ?? "")
            body.member("credential_binding_link", job.link ?? "")
            // The account has no address, and gets none: another credential takes a session.
            body.member("mail_recovery", false)
            if let id = job.id {
                body.name("credential_binding_job")
                body.object { $0.member("id", id) }
            }
        }
        return .secretJSON(writer.bytes)
    }
}
