internal import HTTPClient
package import JSON

/// How documents of providers are read: as strictly as a rule needs it, and as leniently as people's names do.
///
/// A member that nothing is decided by is repaired, or passed over by the one who meets it: half an emoji in a name
/// must not keep its owner from signing in. A member that a rule reads stands there once, with a text that is one, or
/// the document is refused: of two readers that choose differently one can be deceived (RFC 8725 §2.4).
///
/// The headers of signed tokens are not read so: there everything is a rule's.
package enum ProviderDocument {
    /// Every member by which something is decided, in whichever document: what one kind of document does not have costs
    /// nothing to look for, since only documents that needed repair are looked through.
    private static let strict: Set<String> = Set(ofTokens + ofContacts + ofAnswers + ofMetadata)

    /// OpenID Connect Core §2, §5.1, RFC 7519 §4.1, RFC 7662 §2.2, RFC 8417 §2.2, RFC 9068 §2.2, and those of single
    /// providers. What events tell is looked at event by event.
    private static let ofTokens = [
        "iss", "sub", "aud", "azp", "exp", "iat", "nbf", "auth_time", "nonce", "acr", "amr", "at_hash", "c_hash",
        "s_hash", "sid", "jti", "typ", "token_use", "cnf", "client_id", "active", "context", "toe", "sub_id", "tid",
        "aka", "AKA", "transfer_sub", "external_id", "id", "user_id", "algorithm", "issued_at",
    ]
    /// By these accounts elsewhere are found.
    private static let ofContacts = [
        "email", "email_verified", "hd", "phone", "phone_number", "phone_number_verified",
    ]
    /// Not `error`, whose own parts are told apart, nor `keys`, of which each is a matter of its own.
    private static let ofAnswers = [
        "ok", "access_token", "token_type", "id_token", "refresh_token", "scope", "auth_req_id",
    ]
    private static let ofMetadata = [
        "issuer", "jwks_uri", "token_endpoint", "authorization_response_iss_parameter_supported",
    ]

    /// Reads a document.
    ///
    /// - Throws: `JSONError`; `.doubtfulMember` where something is decided by a member that can't be trusted.
    package static func read(_ bytes: Span<UInt8>) throws(JSONError) -> JSONValue {
        try JSONValue(repairing: bytes, strict: strict)
    }

    /// Reads a document that has to be an object.
    ///
    /// - Returns: nil for what is none, or has a member that is decided by and can't be trusted.
    package static func object(_ bytes: Span<UInt8>) -> JSONValue? {
        guard let document = try? read(bytes), document.object != nil else { return nil }
        return document
    }
}

extension OutboundResponse {
    /// The body as a JSON object, when the status is a success.
    func jsonObject() throws(ProviderCallError) -> JSONValue {
        guard (200..<300).contains(status) else { throw unexpectedStatus }
        return try parsedObject()
    }

    /// The body as a JSON object, whatever the status.
    func parsedObject() throws(ProviderCallError) -> JSONValue {
        let document: JSONValue
        do throws(JSONError) {
            document = try ProviderDocument.read(body.span)
        } catch {
            if case .doubtfulMember(let name) = error { throw .doubtfulMember(name) }
            throw .notJSON
        }
        guard document.object != nil else { throw .notJSON }
        return document
    }

    /// What a status means that is neither a success nor a refusal in words: for a redirect also where it leads to.
    var unexpectedStatus: ProviderCallError {
        guard (300..<400).contains(status), let location = header("location") else { return .status(status) }
        return .redirected(status, to: PrintableName(location))
    }
}
