internal import Providers
internal import SignIn

/// What an endpoint finds out about its request that belongs into the log, and nothing that does not.
struct RequestNotes {
    var provider: String?
    /// The caller's own name for the sign-in, checked to be harmless.
    var correlationID: String?
    /// What went wrong at the provider, if it was asked at all.
    var trouble: ProviderTrouble?
    var isSignIn = false
    var isNewUser = false
    var migrated = false
}
