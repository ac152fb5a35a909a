import SignIn
package import Wings

/// What a process remembers for its wings.
package struct WingMemory: Sendable {
    package let logouts = SeenTokens()
    package let events = SeenTokens(maximumAgeSeconds: 7 * 86_400)
    package let refreshes = GrantRefreshes()
    package let pushes = PushLimits(
        PushLimits.Configuration(lifetimeSeconds: 3600, pushesPerHint: 3, windowSeconds: 600, maximumPending: 100))

    package init() {}
}

/// The use cases of wings.
extension SignInStage {
    package var push: ServerInitiatedSignIn { ServerInitiatedSignIn(useCases.parts, limits: ofWings.pushes) }

    package var pushNotifications: PushNotifications {
        PushNotifications(useCases.parts, signIn: signInWithCode, limits: ofWings.pushes)
    }

    package var eventReceiver: EventReceiver { EventReceiver(useCases.parts, seen: ofWings.events) }

    package var backChannelLogout: BackChannelLogout { BackChannelLogout(useCases.parts, seen: ofWings.logouts) }
}
