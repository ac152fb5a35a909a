internal import Apps
package import HTTPServer

/// One method of one path: whom it answers, what answers, and what the document says of it.
///
/// The router and the document are made from the same table of these, so that neither has what the other has not.
package struct Operation<Services: Sendable>: Sendable {
    package let method: HTTPMethod
    /// A segment in braces is a parameter.
    package let path: String
    /// Where it is, too, for clients that spell it otherwise; the document does not have them.
    package var otherPaths: [String] = []
    let access: Access
    /// What a token must be good for; nil where none is shown, or any will do.
    var permission: Permission? = nil
    /// To which operators it is open; nil where it is none of theirs.
    var act: OperatorAct? = nil
    let description: OperationDescription
    /// Makes what answers on one loop.
    let endpoint: @Sendable (Services) -> Endpoint
}

/// Whom an operation answers.
package enum Access: Sendable {
    /// Everybody.
    case everybody
    /// Apps: with an API key where some are configured.
    case app
    /// Apps, in the name of the user of a session token.
    case user
    /// Apps, with a session token or without one.
    case userOrApp
    /// OAuth clients: apps of ours, or apps with an API key where some are configured.
    case client
    /// Anyone with a session token, who needs no API key.
    case bearer
    /// Those who are configured to ask, with id and secret.
    case introspector
    /// Apps with a secret, in the name of the user of a session token.
    case userAndClient
    /// People's browsers.
    case browser
    /// Providers, whose signature proves what they say.
    case provider
    /// What looks after processes, on the listener for operators, and has no token.
    case probe
    case operators
}
