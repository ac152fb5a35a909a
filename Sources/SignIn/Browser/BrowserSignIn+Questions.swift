internal import Accounts
internal import Apps
public import Providers
public import Syntax
internal import System

/// What the user is asked on the way, each on a page whose token is the only key to the request that waits.
extension BrowserSignIn {
    /// Remembers the request of an app that can be imitated, while its user is asked whether it is theirs.
    ///
    /// - Parameters:
    ///   - provider: the first of those that the user may choose.
    ///   - browser: as of ``begin(_:with:browser:of:hasConfirmed:in:)``.
    ///   - address: whom the request comes from.
    /// - Returns: the token of the page that asks.
    public func ask(
        _ request: AppRequest, with provider: Provider, browser: BrowserKey, of address: IPAddress, in call: CallContext
    ) async throws(ServiceError) -> String {
        let pending = PendingRequest(request, provider: provider.configuration.name, at: clock.milliseconds)
        call.correlationID = pending.correlationID
        return try await ask(pending, browser, try networkHash(of: address))
    }

    /// The user has confirmed the app in this browser once, and did not authenticate now. A program that counts on the
    /// provider to answer for them without a word may have sent them here (RFC 8252 §8.6). The answer is left unused.
    func askAgain(
        _ request: PendingRequest, _ address: AppAddress, _ browser: BrowserKey, _ network: NetworkHash
    ) async throws(Failure) -> Step {
        do throws(ServiceError) {
            return .ask(
                address, request.permissions, providers: [request.provider],
                token: try await ask(request, browser, network))
        } catch {
            throw .page(.service(error))
        }
    }

    /// The browser shows nothing: it is not the one that began, or it has lost its cookie. Nothing is finished here
    /// unless its user says so, and then only for apps whose addresses nobody else can have: what comes of it goes to
    /// the app that has the verifier, and to no other (RFC 9700 §4.7).
    func askHere(
        _ answer: ProviderAnswer, _ request: PendingRequest, _ address: AppAddress, _ network: NetworkHash
    ) async throws(Failure) -> Step {
        guard case .signingIn(let issuer, let nonce, let codeVerifier) = request.stage, let code = answer.code,
            request.linking == nil, address.app.otherBrowser == .confirm, address.app.isReachedByClaimedAddressesOnly
        else { throw .page(.otherBrowser) }
        var next = request
        next.stage = .confirming(
            issuer: issuer, nonce: nonce, codeVerifier: codeVerifier, code: code, toldIssuer: answer.issuer)
        var browser = BrowserKeys()
        let key = beginKey(in: &browser, for: address)
        let handle = PendingHandle(for: key)
        do throws(ServiceError) {
            guard try await store(next.encoded, under: handle, key, network, instead: answer.handle) else {
                throw ServiceError.notFound
            }
        } catch .notFound {
            throw .page(.over)
        } catch {
            throw .page(.service(error))
        }
        return .confirm(
            app: address.app, provider: request.provider, token: handle.text, browser: browser,
            redirectURI: request.redirectURI)
    }

    /// Goes on once the user has said on a page of ours that a sign-in is theirs: to the provider, or, where it came
    /// back elsewhere, to its end.
    ///
    /// - Parameters:
    ///   - parameters: what the page has posted.
    ///   - provider: the one that was chosen on it.
    ///   - browser: of that page.
    public func confirmed(
        _ parameters: AuthorizationParameters, with provider: Provider, browser: BrowserKeys?, userAgent: String?,
        in call: CallContext
    ) async throws(Failure) -> Step {
        guard let token = parameters[.token] else { throw .page(.malformed(parameter: "token")) }
        guard let handle = PendingHandle(token) else { throw .page(.over) }
        let (row, request) = try await pending(handle)
        call.correlationID = request.correlationID
        guard let address = request.address(apps, issuer: issuer.text) else { throw .page(.over) }
        guard let key = browser?.key(row.browser) else { throw .page(.otherBrowser) }
        if case .consenting(let session, let code) = request.stage {
            let hasAgreed = parameters[.declined] == nil
            return try await consented(hasAgreed, to: session, code, handle, address, key)
        }
        do throws(ServiceError) {
            switch request.stage {
            case .asking:
                guard address.app.allows(provider: provider.configuration.name) else { throw ServiceError.notFound }
                let lineToken = try lineToken(parameters, for: provider)
                var next = request
                next.provider = provider.configuration.name
                next.confirmation = .given
                next.stage = .choosingCarrier
                if next.linking != nil {
                    guard request.provider.isExactly(next.provider) else { throw ServiceError.notFound }
                    return .goOn(to: try await send(next, to: provider, key, row.network, instead: handle, call))
                }
                return .confirmed(
                    address,
                    to: try await send(next, with: lineToken, to: provider, key, row.network, instead: handle, call))
            case .confirming:
                guard request.provider.isExactly(provider.configuration.name), try await end(handle) else {
                    throw ServiceError.notFound
                }
                return try await finish(request, nil, address, provider, key, row.network, userAgent, call)
            case .unopened, .choosingCarrier, .signingIn, .consenting: throw ServiceError.notFound
            }
        } catch .notFound {
            throw .page(.over)
        } catch {
            throw .app(address, error)
        }
    }

    /// The session of the line, which the page has kept in the meantime.
    private func lineToken(
        _ parameters: AuthorizationParameters, for provider: Provider
    ) throws(ServiceError) -> LineToken? {
        guard provider.configuration.takesLineTokens else { return nil }
        do throws(AppRequest.Problem) {
            return try LineToken.read(parameters, now: clock.seconds)
        } catch {
            throw .authorizationRefused(.expiredLineToken)
        }
    }

    /// Remembers a request while its user is asked about the app.
    ///
    /// - Returns: the token of the page that asks.
    func ask(
        _ pending: PendingRequest, _ browser: BrowserKey, _ network: NetworkHash
    ) async throws(ServiceError) -> String {
        var pending = pending
        pending.stage = .asking
        return try await remember(pending, browser, network)
    }

    /// - Returns: the only key to it.
    func remember(
        _ pending: PendingRequest, _ browser: BrowserKey, _ network: NetworkHash
    ) async throws(ServiceError) -> String {
        let handle = PendingHandle(for: browser)
        guard try await store(pending.encoded, under: handle, browser, network, instead: nil) else { throw .notFound }
        return handle.text
    }
}
