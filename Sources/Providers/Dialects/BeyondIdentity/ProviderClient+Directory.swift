internal import Crypto
internal import HTTPClient
internal import Syntax

/// Why a call to a directory came to nothing that may yet come to something.
public struct DirectoryFailure: Error, Equatable, Sendable {
    public let problem: ProviderProblem
    /// How long the directory wants to be left alone, in seconds; nil where it does not say.
    public let retryAfterSeconds: Int64?
}

/// Calls of the API by which a provider's directory of users is kept.
extension ProviderClient {
    /// Calls the API, once; where it refuses a token that was fetched, once more with another.
    public func ask(_ call: DirectoryCall) async throws(DirectoryFailure) -> DirectoryAnswer {
        guard let api = provider.configuration.userAPI, let access = provider.directoryAccess else {
            throw failed(.noClientKey, call, nil, secrets: [])
        }
        let token = try await token(access, call)
        do throws(DirectoryFailure) {
            return try await ask(call, api, token)
        } catch {
            guard case .client = access, case .status(401) = error.problem.failure else { throw error }
            provider.directoryTokens.forget(token)
            return try await ask(call, api, try await self.token(access, call))
        }
    }

    private func ask(
        _ call: DirectoryCall, _ api: UserAPI, _ token: Secret
    ) async throws(DirectoryFailure) -> DirectoryAnswer {
        var answer: OutboundResponse?
        do throws(ProviderCallError) {
            let request = try call.request(
                below: api.url, token: token, timeout: transport.timeout, policy: provider.policy(for: api.url))
            let received =
                call.changesNothing
                ? try await transport.send(request, for: .directory)
                : try await transport.sendOnce(request, for: .directory)
            answer = received
            return try DirectoryAnswer(received, to: call)
        } catch {
            throw failed(error, call, answer, secrets: [token.revealedText])
        }
    }

    private func token(_ access: UserAPI.Access, _ call: DirectoryCall) async throws(DirectoryFailure) -> Secret {
        switch access {
        case .token(let token): return token
        case .client(let id, let secret, let endpoint):
            let request = DirectoryTokenRequest(clientID: id, secret: secret)
                .request(to: endpoint, timeout: transport.timeout, policy: provider.policy(for: endpoint))
            do throws(ProviderCallError) {
                return try await provider.directoryTokens.token(now: transport.now) { [transport] in
                    do throws(ProviderCallError) {
                        return .success(try DirectoryToken(try await transport.sendOnce(request, for: .directory)))
                    } catch {
                        return .failure(error)
                    }
                }
            } catch {
                throw failed(error, call, nil, secrets: [])
            }
        }
    }

    /// Notes a failure for the log, without a word of what was sent.
    private func failed(
        _ error: ProviderCallError, _ call: DirectoryCall, _ answer: OutboundResponse?, secrets: [String]
    ) -> DirectoryFailure {
        let words = answer.flatMap { ProviderWords($0, removing: call.secrets + secrets) }
        _ = noted(.directory, error, host: provider.configuration.userAPI?.url.host, words: words)
        var wait = answer.flatMap { DirectoryAnswer.retryAfter($0) }
        if case .circuitOpen(let seconds) = error { wait = seconds }
        return DirectoryFailure(problem: ProviderProblem(.directory, error), retryAfterSeconds: wait)
    }
}
