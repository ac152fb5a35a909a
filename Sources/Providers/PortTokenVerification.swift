internal import Crypto
public import HTTPClient
internal import JOSE
public import OpenIDConnect
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
    public fileprivate(set) var refusals: [PortTokenRefusal] = []
}

extension Provider {
    /// Verifies the port tokens of an ID token: trust first, then the old carrier's metadata and keys, then the rules.
    ///
    /// - Parameters:
    ///   - idToken: the verified ID token.
    ///   - now: seconds since 1970.
    /// - Returns: the tokens that hold, and why the others do not: such a one proves nothing about anybody.
    /// - Throws: `ProviderFailure` when a trusted old carrier can't be asked: signing the user in as somebody new then
    ///   would lose their account, so the sign-in fails and can be tried again.
    public func verifiedPortTokens(
        of idToken: IDToken, through transport: any HTTPTransport, deadline: Deadline, now: Int64
    ) async throws(ProviderFailure) -> VerifiedPortTokens {
        var verified = VerifiedPortTokens()
        guard takesPortTokens else { return verified }
        for text in PortToken.candidates(in: idToken.claims) {
            switch try await verifiedPortToken(text, of: idToken, through: transport, deadline: deadline, now: now) {
            case .success(let token): verified.tokens.append(token)
            case .failure(let refusal): verified.refusals.append(refusal)
            }
        }
        return verified
    }

    private func verifiedPortToken(
        _ text: String, of idToken: IDToken, through transport: any HTTPTransport, deadline: Deadline, now: Int64
    ) async throws(ProviderFailure) -> Result<VerifiedPortToken, PortTokenRefusal> {
        let token: CompactJWS
        do throws(JOSEError) {
            token = try CompactJWS(parsing: text, maximumByteCount: PortToken.longestToken)
        } catch {
            return .failure(PortTokenRefusal(error))
        }
        guard let claimed = PortToken.claimedIssuer(token), claimed != idToken.issuer else { return .failure(.issuer) }
        guard trusts(issuer: claimed) else { return .failure(.untrustedIssuer) }
        let signed: VerifiedJWS
        switch try await verifySignature(of: token, by: claimed, through: transport, deadline: deadline) {
        case .success(let verified): signed = verified
        case .failure(let refusal): return .failure(refusal)
        }
        do throws(PortTokenRefusal) {
            let portToken = try PortToken(
                signed, issuer: claimed, clientID: configuration.clientID,
                current: (idToken.issuer, idToken.subject),
                maximumAgeSeconds: configuration.portTokenMaximumAgeSeconds,
                clockSkewSeconds: configuration.clockSkewSeconds, now: now)
            return .success(
                VerifiedPortToken(
                    issuer: currentName(of: portToken.issuer), subject: portToken.subject,
                    fingerprint: Digest.sha256.hash(Array(text.utf8)), issuedAt: portToken.issuedAt))
        } catch {
            return .failure(error)
        }
    }

    /// The name under which a carrier's users are stored now.
    public func currentName(of issuer: String) -> String { configuration.issuerAliases[issuer] ?? issuer }

    private func verifySignature(
        of token: CompactJWS, by issuer: String, through transport: any HTTPTransport, deadline: Deadline
    ) async throws(ProviderFailure) -> Result<VerifiedJWS, PortTokenRefusal> {
        let instant = MonotonicTime.now
        let metadata: ProviderMetadata
        do throws(ProviderFailure) {
            metadata = try await self.metadata(
                of: .formerIssuer(issuer), through: transport, deadline: deadline, now: instant)
        } catch .status(404), .status(410) {
            // A carrier that is gone for good must not lock its old subscribers out. Any other status may pass.
            return .failure(.carrierGone)
        }
        do throws(SignedTokenError) {
            return .success(
                try await keys(of: metadata, now: instant).verify(
                    token, allowed: portTokenAlgorithms,
                    request: { keysRequest(metadata, deadline: deadline, now: instant) },
                    through: RepeatingTransport(transport, within: deadline), now: instant))
        } catch {
            switch error {
            case .token(let problem): return .failure(PortTokenRefusal(problem))
            case .keys(let failure): throw failure
            }
        }
    }

    /// Whatever ID tokens may use, port tokens come from RSA or elliptic-curve keys of 256-bit hashes.
    private var portTokenAlgorithms: [SignatureAlgorithm] { [.rs256, .es256] }
}
