internal import HTTPClient

/// What a provider's answer means for the operator who sets it up.
enum ProbeWords {
    /// Whether the provider has nothing against us, and takes the code for no good.
    static func isRefusalOfCode(_ error: ProviderError) -> Bool {
        guard case .call(let problem) = error else { return false }
        switch problem.failure {
        case .refused(.invalidGrant), .refused(.unknown): return true
        default: return false
        }
    }

    /// Whether the provider takes the code, or the verifier, for no good. ZenKey's carriers deny access.
    static func isRefusalOfVerifier(_ error: ProviderError) -> Bool {
        if case .call(let problem) = error, case .refused(.accessDenied) = problem.failure { return true }
        return isRefusalOfCode(error)
    }

    /// - Parameters:
    ///   - facts: of that failure; what the provider said in words is made fit for a log.
    ///   - title: what operators call the provider.
    static func sentence(_ error: ProviderError, _ facts: CallContext.Facts?, by title: String) -> String {
        guard case .call(let problem) = error else { return "the answer can't be used" }
        var sentence = facts?.remedy ?? meaning(of: problem)
        if let words = facts?.words?.description { sentence += " (\(title) says \(words))" }
        if let host = facts?.host { sentence += ", at \(host)" }
        return sentence
    }

    private static func meaning(of problem: ProviderProblem) -> String {
        switch problem.failure {
        case .transport(let failure): meaning(of: failure)
        case .redirected(let status, to: let address):
            "answers \(status), a redirect to \(address), which is not followed: give the address that it leads to"
        case .status(let status) where (300..<400).contains(status):
            "answers \(status), a redirect that leads nowhere"
        // Some say in JSON that there is nothing.
        case .status(404) where problem.step == .discovery, .refused where problem.step == .discovery:
            "there is no metadata at that address: the issuer may be another, or end with a slash or without one"
        case .status(let status): "answers \(status)"
        case .notJSON: "the answer is no JSON object"
        case .invalidMember(let name): "the answer's \(name) is missing, or not what it should be"
        case .doubtfulMember(let name): "the answer's \(name) is there twice, or its text is no Unicode"
        case .issuerMismatch(let found, let expected):
            "the metadata name another issuer, \(found): it has to be the configured one to the letter, \(expected)"
        case .untrustedIssuer(let found): "discovery names an issuer that trustedIssuers does not: \(found)"
        case .refusedEndpoint(let name): "\(name) is no address that may be called: https, and no private network"
        case .busy(let seconds): "has too much to do, and says to come again in \(seconds) s"
        case .circuitOpen, .tooManyLookups: "it was asked too often"
        case .noCarrier: "no carrier serves that network: name one with --mccmnc"
        case .noClientKey: "there is no key yet to prove with who we are: the first start makes it"
        case .refused(let refusal): meaning(of: refusal)
        }
    }

    private static func meaning(of failure: HTTPClientError) -> String {
        switch failure {
        case .couldNotResolve: "the host's name has no address"
        case .refusedAddress:
            "the host's address lies in a private network, and none of the configuration's hosts is it"
        case .couldNotConnect: "nobody listens there, or a firewall is between"
        case .refusedByProxy(407): "the outbound proxy wants to know who asks: put USER:PASSWORD@ into outboundProxy"
        case .refusedByProxy(let status): "the outbound proxy makes no tunnel to the host, and answers \(status)"
        case .tlsFailed:
            "no trusted TLS connection: the certificate is not this host's, or not of an authority that is trusted"
        case .tlsHandshakeFailed:
            "no TLS connection: what listens at that port speaks no TLS, such as http, or none of the versions that are taken"
        case .certificateOutOfDate:
            "no trusted TLS connection: the certificate, or one that it hangs on, has expired or is not valid yet by this "
                + "machine's clock"
        case .timedOut: "no answer in time"
        case .connectionBroken: "the connection broke before the answer was there"
        case .responseTooLarge: "the answer is too large"
        case .malformedResponse: "the answer is no HTTP"
        case .cancelled, .shutDown: "it was given up"
        }
    }

    private static func meaning(of refusal: OAuthError) -> String {
        switch refusal {
        case .invalidGrant, .unknown: "refuses a code that is made up, as it should"
        case .clientFault("invalid_client"), .clientFault("incorrect_client_credentials"):
            "does not know us: clientID, the secret or key, or clientAuthentication is wrong"
        case .clientFault("unauthorized_client"): "the client may not redeem codes there, or not in this way"
        case .clientFault("redirect_uri_mismatch"): "the redirect URI is not registered there, to the letter"
        case .clientFault("unsupported_grant_type"): "does not redeem codes at this address, or not for this client"
        case .clientFault(let code): "refuses the request: \(code)"
        case .verifierMissing: "demands a verifier: requirePKCE"
        case .temporarilyUnavailable: "can't answer now"
        case .accessDenied: "denies it: a rule there lets nobody in with this client, or not so"
        case .interactionRequired: "wants the user to do something first"
        case .authenticationTimedOut, .userNotFound, .loginHintRefused:
            "refuses the code as if there were a user"
        }
    }
}
