internal import Crypto
internal import JSON

/// The configuration document of a dialect's issuer.
struct DialectMetadata {
    let provider: Provider
    let dialect: Dialect
    let site: DialectSite

    /// The document with what is to be the matter with it.
    func document(_ misbehaviour: DocumentMisbehaviour?) -> JSONObject {
        let place = site.place
        var document = JSONObject([("issuer", .string(site.announcedIssuer))])
        document.append("authorization_endpoint", ifPresent: place.authorize.map(site.url))
        document.append("token_endpoint", ifPresent: place.announcesToken ? place.token.map(site.url) : nil)
        document.append("userinfo_endpoint", ifPresent: place.userinfo.map(site.url))
        document.append("revocation_endpoint", ifPresent: place.revocation.map(site.url))
        document.append("jwks_uri", .string(site.url(place.keys)))
        document.append("response_types_supported", [.string(place.token == nil ? "id_token" : "code")])
        document.append(
            "response_modes_supported", .strings(provider.profile.answersByForm ? ["query", "form_post"] : ["query"]))
        let isPairwise = if case .oneClient = dialect.subject.audience { true } else { false }
        document.append("subject_types_supported", [.string(isPairwise ? "pairwise" : "public")])
        document.append(
            "id_token_signing_alg_values_supported", .strings(provider.profile.announcedAlgorithms.map(\.rawValue)))
        document.append("scopes_supported", ["openid", "profile", "email"])
        if place.token != nil {
            document.append("token_endpoint_auth_methods_supported", .strings(dialect.authentication))
        }
        if place.authorize != nil, !provider.profile.ignoresPKCE {
            document.append("code_challenge_methods_supported", ["S256"])
        }
        Configuration.spoil(&document, of: site.announcedIssuer, misbehaviour)
        return document
    }

    /// The key set of Entra's directories. Its keys say whose tokens they sign: the first everybody's, the second one
    /// tenant's alone.
    static func keys(_ document: JSONObject, of provider: Provider, at base: String) -> JSONObject {
        guard let keys = document["keys"]?.array else { return document }
        let second = provider.keys.second.id
        let marked = keys.map { key -> JSONValue in
            guard var key = key.object else { return key }
            let tenant = key["kid"]?.string == second ? EntraTenant.personal : EntraTenant.template
            key.append("issuer", .string("\(base)/\(tenant)/v2.0"))
            return .object(key)
        }
        return JSONObject([("keys", .array(marked))])
    }
}
