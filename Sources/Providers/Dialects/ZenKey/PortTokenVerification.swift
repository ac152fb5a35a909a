internal import Crypto
internal import HTTPClient
internal import JOSE
import System

/// A port token that was verified, and the fingerprint by which its use is remembered.
public struct VerifiedPortToken: Sendable {
    public let issuer: String
    public let subject: String
    /// SHA-256 of the token's text.
    public let fingerprint: [UInt8]
    /// Seconds since 1970.
    public let issuedAt: Int64
}

/// What came of the port tokens of one ID token.
public struct VerifiedPortTokens: Sendable {
    public fileprivate(set) var tokens: [VerifiedPortToken] = []
    /// Why the others prove nothing, in the order they came.
    public fileprivate(set) var refusals: [PortTokenError] = []
}

extension ProviderClient {
    /// Whatever ID tokens may use, port tokens come from RSA or elliptic-curve keys of 256-bit hashes.
    private static let portTokenAlgorithms: [SignatureAlgorithm] = [.rs256, .es256]

    /// Verifies the port tokens of an ID token: trust first, then the old carrier's metadata and keys, then the rules.
    ///
    /// - Parameters:
    ///   - idToken: the verified ID token.
    ///   - now: seconds since 1970.
    /// - Returns: the tokens that hold, and why the others do not: such a one proves nothing about anybody.
    /// - Throws: `ProviderError` when a trusted old carrier can't be asked: signing the user in as somebody new then
    ///   would lose their account, so the sign-in fails and can be tried again.
    public func portTokens(of idToken: IDToken, now: Int64) async throws(ProviderError) -> VerifiedPortTokens {
        var verified = VerifiedPortTokens()
        guard provider.takesPortTokens else { return verified }
        for text in PortToken.candidates(in: idToken.claims) {
            do throws(ProviderCallError) {
                switch try await portToken(text, of: idToken, now: now) {
                case .success(let token): verified.tokens.append(token)
                case .failure(let refusal): verified.refusals.append(refusal)
                }
            } catch {
                throw noted(.keys, error, host: nil)
            }
        }
        return verified
    }

    private func portToken(
        _ text: String, of idToken: IDToken, now: Int64
    ) async throws(ProviderCallError) -> Result<VerifiedPortToken, PortTokenError> {
        let token: CompactJWS
        do throws(JOSEError) {
            token = try CompactJWS(parsing: text, maximumByteCount: PortToken.maximumTokenBytes)
        } catch {
            return .failure(PortTokenError(error))
        }
        guard let claimed = PortToken.claimedIssuer(token), claimed != idToken.issuer else { return .failure(.issuer) }
        guard provider.trusts(issuer: claimed) else { return .failure(.untrustedIssuer) }
        let metadata: ProviderMetadata
        do throws(ProviderCallError) {
            metadata = try await provider.metadata.metadata(
                .formerIssuer(claimed), provider.lookup, through: transport)
        } catch .status(404), .status(410) {
            // A carrier that is gone for good must not lock its old subscribers out. Any other status may pass.
            return .failure(.carrierGone)
        }
        let configuration = provider.configuration
        do throws(SignedTokenError<PortTokenError>) {
            let portToken = try await content(
                of: token, from: .stranger, keysAt: metadata.keysEndpoint, allowed: Self.portTokenAlgorithms
            ) { signed throws(PortTokenError) in
                try PortToken(
                    signed, issuer: claimed, clientID: configuration.clientID,
                    current: (idToken.issuer, idToken.subject),
                    maximumAgeSeconds: configuration.portTokenMaximumAgeSeconds,
                    clockSkewSeconds: configuration.clockSkewSeconds, now: now)
            }
            return .success(
                VerifiedPortToken(
                    issuer: provider.currentName(of: portToken.issuer), subject: portToken.subject,
                    fingerprint: Digest.sha256.hash(Array(text.utf8)), issuedAt: portToken.issuedAt))
        } catch {
            switch error {
            case .token(let refusal): return .failure(refusal)
            case .keys(let failure): throw failure
            }
        }
    }
}
