internal import Crypto
import Syntax

/// Redeems an authorization code (RFC 6749 §4.1.3).
struct CodeRedemption {
    let provider: Provider
    /// Whose token endpoint was asked, at a dialect that has tenants.
    let tenant: String?
    let form: Fields
    let client: SimulatedClient
    /// Unix time.
    let now: Int64

    /// What the code stands for; it is used up then, unless it is another client's.
    func grant() throws(OAuthError) -> Grant {
        guard let code = form["code"] else { throw .invalidRequest("The code is missing.") }
        let holder = provider.grants.holder(ofCode: code, now: now)
        if let owner = holder?.grant.tenant, let tenant, !EntraTenant.redeems(codeOf: owner, at: tenant) {
            throw .invalidGrant("The code is another tenant's.", .codeOfAnotherTenant)
        }
        // An empty one is another than none, to the one dialect that wants it.
        let redirectURI = form.values("redirect_uri").first
        guard holder?.grant.isNative == true || redirectURI?.isEmpty == false else {
            throw OAuthError("invalid_request", "The redirect_uri is missing.", fault: missingRedirectURI(holder))
        }
        guard let grant = provider.grants.redeem(code: code, clientID: client.id, now: now) else {
            throw .invalidGrant(
                "The code is unknown, expired, used, or another client's.", fault(holder), named: client.id)
        }
        guard grant.redirectURI == redirectURI else {
            throw .invalidGrant(
                "The redirect_uri is not the one of the authorization request.", .redirectURI, named: client.id)
        }
        try checkVerifier(form["code_verifier"], grant)
        return grant
    }

    private func missingRedirectURI(_ holder: (grant: Grant, isUsed: Bool)?) -> TokenFault {
        holder == nil ? .unknownCode : .redirectURI
    }

    private func fault(_ holder: (grant: Grant, isUsed: Bool)?) -> TokenFault {
        guard let holder else { return .unknownCode }
        guard holder.grant.clientID == client.id else { return .codeOfAnotherClient }
        return holder.isUsed ? .usedCode : .unknownCode
    }

    /// RFC 7636 §4.5 and §4.6; a verifier without a challenge is a downgrade (RFC 9700 §2.1.1).
    private func checkVerifier(_ verifier: String?, _ grant: Grant) throws(OAuthError) {
        guard !provider.profile.ignoresPKCE else { return }
        guard let challenge = grant.codeChallenge else {
            guard verifier == nil else {
                throw .invalidGrant("The authorization request had no code_challenge.", .wrongVerifier)
            }
            return
        }
        guard let verifier else {
            throw OAuthError("invalid_request", "The code_verifier is missing.", fault: .missingVerifier)
        }
        let isWellFormed =
            (43...128).contains(verifier.utf8.count)
            && verifier.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "-._~".utf8.contains(byte)
            }
        guard isWellFormed else { throw .invalidRequest("The code_verifier is not 43 to 128 unreserved characters.") }
        guard Base64URL.encode(Digest.sha256.hash(Array(verifier.utf8))) == challenge else {
            throw .invalidGrant("The code_verifier does not belong to the code_challenge.", .wrongVerifier)
        }
    }
}
