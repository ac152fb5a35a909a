internal import Accounts
internal import EventLoop
internal import HTTPClient
internal import HTTPServer
package import Logging
package import Providers
package import SignIn
internal import System
internal import Telemetry

/// Writes one line for each request and one for the outcome of each sign-in.
///
/// Only what is listed here is ever logged: no path with its query, no body, no header but the request id.
package struct RequestLog: Sendable {
    let logger: Logger

    func hear(
        _ request: HTTPRequest, _ route: String, _ response: HTTPResponse, _ error: ServiceError?,
        _ context: RequestContext?, _ traceID: TraceID?
    ) {
        if let context {
            writePublishedKeys(context)
            if context.signIn != nil {
                writeSignIn(context, error)
            } else if let error {
                writeFailure(error, route: route, context)
            }
            if let error { writeSecurity(error, requestID: request.id, route: route, from: context.network, context) }
        }
        write(request, route, response, context, traceID)
    }

    private func write(
        _ request: HTTPRequest, _ route: String, _ response: HTTPResponse, _ context: RequestContext?,
        _ traceID: TraceID?
    ) {
        guard logger.logLevel <= .info else { return }
        let nanoseconds = MonotonicTime.now.nanoseconds - request.receivedAt.nanoseconds
        var metadata = Self.metadata(context, requestID: request.id)
        metadata["method"] = .string(request.method.rawValue)
        metadata["route"] = .string(route)
        metadata["status"] = .stringConvertible(response.status.code)
        if context == nil, let traceID { metadata["trace_id"] = .string(traceID.text) }
        if let logged = context?.logged, !logged.isEmpty { metadata.merge(logged) { $1 } }
        metadata["ms"] = .stringConvertible(nanoseconds / 1_000_000)
        logger.info("request", metadata: metadata)
    }

    /// A request that broke HTTP, so that it has no route.
    func write(_ violation: ProtocolError, _ status: HTTPStatus, requestID: String) {
        logger.info(
            "request refused", metadata: ["status": .stringConvertible(status.code), "request_id": .string(requestID)])
    }

    private func writeSignIn(_ context: RequestContext, _ error: ServiceError?) {
        writeRefusedPortTokens(context)
        let level = error.map(Self.level) ?? .info
        guard logger.logLevel <= level else { return }
        var metadata = Self.metadata(context, requestID: context.request.id)
        if let error {
            metadata["outcome"] = "failed"
            metadata["reason"] = "\(Self.reason(error, context.call))"
            Self.describe(context.call, in: &metadata)
        } else {
            metadata["outcome"] = Self.outcome(context.signIn)
        }
        if let kind = context.kind { metadata["kind"] = .string(kind.rawValue) }
        metadata["network"] = .string(context.network.prefix)
        Self.describeSession(of: context, in: &metadata)
        logger.log(level: level, "sign-in", metadata: metadata)
    }

    private static func outcome(_ progress: RequestContext.SignInProgress?) -> Logger.MetadataValue {
        switch progress {
        case .migrated: "migrated"
        case .newUser: "new_user"
        case .linked: "linked"
        case .signedIn, .begun, nil: "signed_in"
        }
    }

    /// One line for who watches over the service, with where it came from.
    ///
    /// - Parameter context: nil where nothing could be found out.
    func writeSecurity(
        _ error: ServiceError, requestID: String, route: String, from network: @autoclosure () -> ClientNetwork,
        _ context: RequestContext?
    ) {
        guard let message = error.securityMessage, logger.logLevel <= .warning else { return }
        var metadata = Self.metadata(context, requestID: requestID)
        metadata["security"] = .stringConvertible(true)
        metadata["route"] = .string(route)
        metadata["reason"] = .string(ErrorAnswer(error).code)
        metadata["network"] = .string(network().prefix)
        if case .insufficientRole(let name, _, _) = error { metadata["operator"] = .string(name) }
        if case .expiredAdminToken(let name) = error { metadata["operator"] = .string(name) }
        if let context { Self.describeSession(of: context, in: &metadata) }
        logger.warning("\(message)", metadata: metadata)
    }

    /// By which app and session somebody acts, where that is known.
    private static func describeSession(of context: RequestContext, in metadata: inout Logger.Metadata) {
        let origin = context.origin.origin
        if let app = origin.app { metadata["client"] = .string(app) }
        if let session = origin.session { metadata["session"] = .string(session.description) }
    }

    /// Somebody may have lost an account that should have followed, or wanted one that should not.
    private func writeRefusedPortTokens(_ context: RequestContext) {
        for refusal in context.call.refusedPortTokens {
            var metadata = Self.metadata(context, requestID: context.request.id)
            metadata["reason"] = "\(refusal.rawValue)"
            logger.warning("port token refused", metadata: metadata)
        }
    }

    /// Anybody can sign with such a key, so the provider has to make others.
    private func writePublishedKeys(_ context: RequestContext) {
        guard let host = context.call.publishedKeysAt else { return }
        var metadata = Self.metadata(context, requestID: context.request.id)
        metadata["host"] = "\(host)"
        logger.warning("a provider publishes private keys, which are never used", metadata: metadata)
    }

    private static func metadata(_ context: RequestContext?, requestID: String) -> Logger.Metadata {
        // Room for all that any line has, so that it is never moved.
        var metadata = Logger.Metadata(minimumCapacity: 10)
        metadata["request_id"] = .string(requestID)
        if let provider = context?.provider { metadata["provider"] = .string(provider) }
        if let correlationID = context?.call.correlationID { metadata["correlation_id"] = .string(correlationID) }
        if let traceID = context?.traceID { metadata["trace_id"] = .string(traceID.text) }
        return metadata
    }

    /// A request that failed for a reason an operator must see, whatever it was about.
    private func writeFailure(_ error: ServiceError, route: String, _ context: RequestContext) {
        let level = Self.level(error)
        guard level > .info, logger.logLevel <= level else { return }
        var metadata: Logger.Metadata = [
            "route": "\(route)", "reason": "\(Self.reason(error, context.call))",
            "request_id": .string(context.request.id),
        ]
        if let name = context.call.correlationID { metadata["correlation_id"] = .string(name) }
        if let traceID = context.traceID { metadata["trace_id"] = .string(traceID.text) }
        metadata["network"] = .string(context.network.prefix)
        Self.describe(context.call, in: &metadata)
        Self.describeSession(of: context, in: &metadata)
        logger.log(level: level, "request failed", metadata: metadata)
    }

    /// A provider that could not be told something after the app had its answer.
    ///
    /// - Parameter message: what has failed.
    package func writeDelivery(
        _ message: Logger.Message, _ error: ServiceError, to provider: String, correlationID: String,
        _ call: CallContext
    ) {
        let level = max(Self.level(error), .notice)
        guard logger.logLevel <= level else { return }
        var metadata: Logger.Metadata = [
            "reason": "\(Self.reason(error, call))", "provider": "\(provider)", "correlation_id": "\(correlationID)",
        ]
        if let trace = call.scope?.trace { metadata["trace_id"] = .string(trace.id.text) }
        Self.describe(call, in: &metadata)
        logger.log(level: level, message, metadata: metadata)
    }

    /// Which of the provider's hosts failed, and what it said itself.
    private static func describe(_ call: CallContext, in metadata: inout Logger.Metadata) {
        if let found = call.found { metadata["found"] = "\(found)" }
        if let told = call.told { metadata["provider_error"] = "\(told)" }
        guard let facts = call.facts else { return }
        if let host = facts.host { metadata["error_host"] = "\(host)" }
        if let words = facts.words { metadata["provider_error"] = "\(words)" }
        if let remedy = facts.remedy { metadata["remedy"] = "\(remedy)" }
    }

    /// What an operator must see: our configuration or our store, and a provider that misbehaves.
    private static func level(_ error: ServiceError) -> Logger.Level {
        switch error {
        case .storageUnavailable: .error
        case .ofWing(let error) where error.cause != nil: .error
        case .providerError(let problem):
            if case .refused(.clientFault) = problem.failure { .error } else { .warning }
        // Somebody is handed, or hands in, another issuer's code.
        case .issuerMismatch, .invalidGrant(.codeSentElsewhere): .notice
        // A provider that can't end sessions here, or somebody who would like to be one.
        case .invalidLogoutToken, .invalidEvent: .notice
        // Another client's token, or an ID token: nobody comes by one of those here by mistake.
        case .invalidSubjectToken(.audience), .invalidSubjectToken(.type): .notice
        case .providerUnavailable, .providerCircuitOpen, .providerBusy, .providerTimeout, .overloaded,
            .migrationConflict:
            .warning
        default: .info
        }
    }

    /// The stable code with what stands behind it, in words of ours.
    static func reason(_ error: ServiceError, _ call: CallContext) -> String {
        let answer = ErrorAnswer(error)
        let code = answer.reason.map { "\(answer.code): \($0)" } ?? answer.code
        switch error {
        case .providerError(let problem):
            return "\(code): \(problem.step.name.text): \(describe(problem.failure))"
        case .providerUnavailable, .providerTimeout, .providerCircuitOpen, .providerBusy, .overloaded:
            guard let facts = call.facts else { return code }
            return "\(code): \(facts.step.name.text): \(describe(facts.failure))"
        case .invalidLogoutToken(let fault): return "\(code): logout token: \(fault.rawValue)"
        case .invalidEvent(let fault): return "\(code): \(fault.rawValue)"
        case .invalidSubjectToken(let fault): return "\(code): access token: \(fault.rawValue)"
        case .invalidGrant(.codeSentElsewhere): return "\(code): the code was sent to another issuer before"
        case .storageUnavailable(let cause): return "\(code): \(cause)"
        case .ofWing(let error): return error.cause.map { "\(code): \($0)" } ?? code
        default: return code
        }
    }

    private static func describe(_ failure: ProviderCallError) -> String {
        switch failure {
        case .transport(let error): describe(error)
        case .status(let status): "status \(status)"
        case .notJSON: "not a JSON object"
        case .invalidMember(let name): "\(name) is missing or wrong"
        case .doubtfulMember(let name): "\(name) is there twice, or its text is no Unicode"
        case .redirected(let status, let address): "status \(status), a redirect to \(address)"
        case .issuerMismatch(let found, let expected): "the document names another issuer, \(found), for \(expected)"
        case .untrustedIssuer(let found): "the issuer \(found) is not trusted"
        case .refusedEndpoint(let name): "\(name) is not an address we may call"
        case .circuitOpen: "it failed too often of late"
        case .busy(let seconds): "it has too much to do, and says to come again in \(seconds) s"
        case .noCarrier: "no carrier serves that network"
        case .tooManyLookups: "too many networks are being looked up that nobody has asked for before"
        case .noClientKey: "there is no key to sign with who we are; it is made when the configuration is read"
        case .refused(.clientFault(let code)): "our client was refused with \(code); check the provider's configuration"
        case .refused(.temporarilyUnavailable): "it says that it can't answer now"
        case .refused: "refused with an error code we do not know"
        }
    }

    private static func describe(_ error: HTTPClientError) -> String {
        switch error {
        case .couldNotResolve: "the host's name has no address, or the resolver did not say"
        case .refusedAddress:
            "every address of the host is a private one, which only hosts named in the configuration may have"
        case .couldNotConnect: "no connection could be made"
        case .refusedByProxy(let status): "the outbound proxy makes no tunnel to the host, and answers \(status)"
        case .tlsFailed: "no trusted TLS connection: certificate, or caFile"
        case .tlsHandshakeFailed: "no TLS connection: does http listen at that port, or a version that is not taken?"
        case .certificateOutOfDate:
            "no trusted TLS connection: by this machine's clock a certificate has expired or is not valid yet"
        case .timedOut(requestSent: false): "no connection in time"
        case .timedOut(requestSent: true): "no answer in time"
        case .connectionBroken(requestSent: false): "the connection broke before the request had left"
        case .connectionBroken(requestSent: true): "the connection broke before the answer was there"
        case .responseTooLarge: "the answer is larger than allowed"
        case .malformedResponse: "the answer is no HTTP, or can't be decompressed"
        case .cancelled: "the request was given up"
        case .shutDown: "the service was stopping"
        }
    }
}

extension ServiceError {
    /// What somebody who watches over the service must hear of, about anyone: something may have been stolen,
    /// or somebody tries doors. Nil for everything else.
    var securityMessage: String? {
        switch self {
        case .invalidGrant(.reusedRefreshToken):
            "a refresh token was used again after its successor: its session has ended"
        case .invalidGrant(.reusedAppCode): "an authorization code of ours was used again: its session has ended"
        case .invalidAdminToken: "an operator's token was refused"
        case .expiredAdminToken: "an operator's token was refused: its time is over"
        case .insufficientRole: "an operator was refused: none of their roles allows it"
        case .migrationConflict: "a subscriber who has moved has an account at either carrier"
        case .mergeConflict: "two accounts can't become one"
        case .locked, .invalidGrant(.locked): "somebody was refused who is locked"
        default: nil
        }
    }
}
