import Crypto
import HTTPClient
import JSON
import Providers
import System
import TestSupport

extension Provider {
    /// Why the issuer that serves a network can't be found; nil when it can.
    func failure(
        serving network: MobileNetwork?, through transport: ScriptedTransport, at time: MonotonicTime? = nil
    ) async -> ProviderCallError? {
        guard let client = try? client(through: transport, at: time) else { return .tooManyLookups }
        do throws(ProviderError) {
            _ = try await client.issuer(serving: network)
            return nil
        } catch {
            guard case .call(let problem) = error, problem.step == .discovery else { return .notJSON }
            return problem.failure
        }
    }
}

extension IDTokenExpectations {
    /// For tests that are about something else.
    static let nothing = IDTokenExpectations(
        nonce: .unknownToUs, authentication: [], context: .anything, freshness: .anyAge)
}

extension TokenResponse {
    /// A token endpoint's answer with that ID token.
    static func holding(_ idToken: String) throws -> TokenResponse {
        let request = TokenRequest(
            code: "code", redirectURI: "https://app.example", codeVerifier: nil, correlationID: nil, sdkVersion: nil)
        return try TokenResponse(
            .json(["access_token": "access", "token_type": "Bearer", "id_token": .string(idToken)]), to: request)
    }
}
