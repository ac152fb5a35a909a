internal import Accounts
internal import HTTPServer
internal import SignIn

/// What is asked for with parameters that another operation may take as well.
enum RepeatablePurpose {
    case signIn, register
    /// Of an app of ours that has proved itself; nil for others.
    case exchange(String?)
    /// By an app of ours that has proved itself.
    case redeem(String)
    /// Under a session.
    case link(SessionID), transaction(SessionID)

    fileprivate var text: String {
        switch self {
        case .signIn: "sign-in"
        case .register: "register"
        case .exchange(let app): "exchange \(app ?? "")"
        case .redeem(let app): "redeem \(app)"
        case .link(let session): "link \(session)"
        case .transaction(let session): "transaction \(session)"
        }
    }
}

extension RequestParameters {
    /// A request by all that it says, in whatever order, and by the API key it is sent under. No parameter has a NUL,
    /// so none can pass for two.
    ///
    /// - Parameter leavesProof: whether the ID token, or else the code, is left out: the answer is found by it, so that
    ///   it need not be hashed twice. Of an ID token, which is found by what is signed, the signature counts.
    func digest(
        of purpose: RepeatablePurpose, _ context: RequestContext, leavesProof: Bool = false
    ) -> RequestDigest {
        let (idToken, code) = (
            AuthorizedResponse.Parameter.idToken.rawValue, AuthorizedResponse.Parameter.code.rawValue
        )
        let proof = values.contains { $0.name.rawValue == idToken } ? idToken : code
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1024)
        func append(_ text: String) {
            bytes.append(contentsOf: text.utf8)
            bytes.append(0)
        }
        append(purpose.text)
        append(context.request.header("x-api-key") ?? "")
        for (name, value) in values.sorted(by: { $0.name.rawValue < $1.name.rawValue }) {
            append(name.rawValue)
            if !leavesProof || name.rawValue != proof {
                append(value)
            } else if let dot = value.utf8.lastIndex(of: UInt8(ascii: ".")) {
                bytes.append(contentsOf: value.utf8[dot...])
                bytes.append(0)
            }
        }
        return RequestDigest(of: bytes)
    }
}
