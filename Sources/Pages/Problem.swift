/// What can go wrong in a person's browser where no app can be told: before the app's redirect URI is trusted, or when
/// the browser can't go back to it.
public enum Problem: Sendable, Equatable {
    /// No app has the identifier that the request names.
    case unknownApp
    /// The redirect URI is none of the app's.
    case redirectNotAllowed
    /// A parameter of the request is wrong. The sentence is English and for the developer.
    case wrongParameter(name: String, sentence: String)
    /// The sign-in took too long, or has been finished already.
    case expired
    /// The same, where the browser knows which app it was for; nil for one without a name.
    case over(app: String?)
    /// The sign-in was started in another browser.
    case anotherBrowser
    /// More sign-ins at once than the service takes.
    case busy
    /// The provider of that name gives no answer.
    case providerUnreachable(String)
    /// The code is of no request to be forgotten.
    case unknownConfirmation
    /// The person may not sign in to the app.
    case locked(app: String)
    /// Something else.
    case unexpected

    /// What a developer needs to know and nobody else understands; nil where it is not the app's fault.
    var sentenceForDevelopers: String? {
        switch self {
        case .unknownApp: "client_id: no app of this service has this identifier."
        case .redirectNotAllowed: "redirect_uri: not one of those that are registered for the app."
        case .wrongParameter(let name, let sentence): "\(name): \(sentence)"
        case .expired, .over, .anotherBrowser, .busy, .providerUnreachable, .unknownConfirmation, .locked,
            .unexpected:
            nil
        }
    }
}
