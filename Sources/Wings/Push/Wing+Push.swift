internal import Apps
internal import HTTPServer
internal import Providers
internal import Settings
internal import SignIn
internal import WebAPI

extension Wing {
    /// Sign-ins that begin on the user's phone: our server has the carrier ask, and the app waits.
    package static let push = Wing(PushSettings.self) { configured, _, _ in
        OpenWing(
            api: .push(PushLimits(PushLimits.Configuration(configured))),
            limits: [.pushes: configured.perMinutePerAddress])
    }
}

extension APIExtension {
    static func push(_ limits: PushLimits) -> APIExtension {
        var wing = APIExtension(isOn: \.takesPushes, operations: operations(limits))
        wing.groups = [.push]
        wing.requestSchemas = PushSchemas.requests
        wing.answerSchemas = PushSchemas.answers
        return wing
    }

    private static func operations(_ limits: PushLimits) -> [Operation<APIServices>] {
        let one = PushEndpoint.path + "/{auth_req_id}"
        return [
            .userOrApp(.post, PushEndpoint.path, needs: .transactions, PushDescriptions.begin) {
                PushEndpoint($0, limits).begin
            },
            .notification(.post, ServerInitiatedSignIn.notificationPath, PushDescriptions.notify) {
                PushNotificationEndpoint(
                    notifications: PushNotifications($0.parts, signIn: $0.useCases.signIn, limits: limits)
                ).respond
            },
            .app(.get, one, PushDescriptions.poll) { PushEndpoint($0, limits).poll },
            .app(.post, one, PushDescriptions.retry) { PushEndpoint($0, limits).retry },
            .app(.delete, one, PushDescriptions.cancel) { PushEndpoint($0, limits).cancel },
        ]
    }
}

extension PushEndpoint {
    fileprivate init(_ services: APIServices, _ limits: PushLimits) {
        self.init(
            push: ServerInitiatedSignIn(services.parts, limits: limits), code: services.code, limits: services.limits,
            apiKeys: services.admission.apiKeys, log: services.log)
    }
}

extension PushLimits.Configuration {
    fileprivate init(_ settings: PushSettings) {
        self.init(
            lifetimeSeconds: Int64(settings.lifetimeSeconds), pushesPerHint: settings.perUser,
            windowSeconds: Int64(settings.windowSeconds), maximumPending: Int64(settings.maximumPending))
    }
}

extension AddressLimit {
    static let pushes = AddressLimit("pushes", "Too many server-initiated sign-ins come from this address.")
}

extension OperationGroup {
    static let push = OperationGroup("On the user's phone", "Our server has the carrier ask; the app waits.")
}
