internal import Apps
internal import HTTPServer
internal import Providers
internal import Settings
internal import SignIn
internal import WebAPI

extension Wing {
    /// Accounts and credentials at a provider that keeps a directory of users.
    package static let directorySignUp = Wing(DirectorySignUpSettings.self) { configured, _, _ in
        var wing = OpenWing(api: .directorySignUp, limits: [.signUps: configured.perMinutePerAddress])
        wing.carriers = { parts in
            [
                DirectoryDelivery(
                    repository: parts.repository, providers: parts.providers, transport: parts.transport,
                    clock: parts.clock)
            ]
        }
        return wing
    }
}

extension APIExtension {
    static var directorySignUp: APIExtension {
        let paths = SignUpEndpoint.paths
        var signUp = Operation<APIServices>.app(.post, paths[0], SignUpDescriptions.signUp) {
            SignUpEndpoint($0).signUp
        }
        signUp.otherPaths = [SignUpEndpoint.enrollment]
        var wing = APIExtension(
            isOn: \.keepsDirectories,
            operations: [
                signUp,
                .app(.post, paths[1], SignUpDescriptions.recover) { SignUpEndpoint($0).recover },
                .userOrApp(.post, paths[2], needs: .accountIdentities, SignUpDescriptions.link) {
                    SignUpEndpoint($0).link
                },
                .app(.post, paths[3], SignUpDescriptions.recoverLink) { SignUpEndpoint($0).recover },
            ])
        wing.groups = [.signUp]
        wing.requestSchemas = SignUpSchemas.requests
        wing.answerSchemas = SignUpSchemas.answers
        wing.registration = TicketlessRegistration(
            members: SignUpSchemas.members, success: SignUpDescriptions.success
        ) {
            SignUpEndpoint($0).signUp
        }
        return wing
    }
}

extension SignUpEndpoint {
    fileprivate init(_ services: APIServices) {
        self.init(
            signUp: DirectorySignUp(services.parts), providers: services.parts.providers, limits: services.limits)
    }
}

extension AddressLimit {
    static let signUps = AddressLimit("signUps", "Too many sign-ups and recoveries come from this address.")
}

extension OperationGroup {
    static let signUp = OperationGroup(
        "Signing up", "Accounts and credentials at a provider that keeps a directory of users.")
}
