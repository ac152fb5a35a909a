internal import Crypto
internal import JSON

/// Configuration documents, each as irregular as its issuer's.
struct Configuration {
    let world: World
    let provider: Provider

    /// The document with what is to be the matter with it.
    ///
    /// - Parameter misbehaviour: a document that is an error instead is not made here.
    func document(_ misbehaviour: DocumentMisbehaviour?) -> JSONObject {
        var document =
            switch provider.issuer {
            case .aurora: aurora
            case .borealis: borealis
            case .telenor: telenor
            case .beyond: beyond
            default: plain
            }
        Self.spoil(&document, of: world.url(provider.issuer), misbehaviour)
        return document
    }

    /// Does to a right document what is asked for.
    static func spoil(_ document: inout JSONObject, of issuer: String, _ misbehaviour: DocumentMisbehaviour?) {
        switch misbehaviour {
        case .otherIssuer: document.set("issuer", .string(issuer + "/other"))
        case .issuerWithQuery: document.set("issuer", .string(issuer + "/?tenant=1"))
        case .withoutIssuer: document.remove("issuer")
        case .withoutTokenEndpoint: document.remove("token_endpoint")
        case .withoutKeys: document.remove("jwks_uri")
        case .withoutIntrospection: document.remove("introspection_endpoint")
        case .withIntrospection: document.set("introspection_endpoint", .string(issuer + IntrospectionEndpoint.path))
        case .plainHTTP: document.set("token_endpoint", "http://carrier.invalid/token")
        case .linkLocal: document.set("token_endpoint", "https://169.254.169.254/token")
        case .withoutCustomLogout: document.remove("custom_logout_endpoint")
        case nil, .providerNotFound, .errorInside200: break
        }
    }

    /// Where keys and userinfo are: at the issuer, or under its name at the discovery port.
    private var resources: String {
        provider.profile.spreadsOverOrigins
            ? "\(world.url(.discovery))/\(provider.issuer.rawValue)" : world.url(provider.issuer)
    }

    private var common: JSONObject {
        let url = world.url(provider.issuer)
        return JSONObject([
            ("issuer", .string(url)),
            ("authorization_endpoint", .string(url + provider.profile.path("authorize"))),
            ("token_endpoint", .string(url + provider.profile.path("token"))),
            ("userinfo_endpoint", .string(resources + provider.profile.path("userinfo"))),
            ("jwks_uri", .string("\(resources)/jwks")),
            ("revocation_endpoint", .string(url + RevocationEndpoint.path)),
            ("response_types_supported", ["code"]),
            ("response_modes_supported", ["query"]),
            ("subject_types_supported", ["pairwise"]),
            ("code_challenge_methods_supported", ["S256"]),
            (
                "id_token_signing_alg_values_supported",
                .strings(provider.profile.announcedAlgorithms.map(\.rawValue))
            ),
            (
                "token_endpoint_auth_signing_alg_values_supported",
                .strings(ClientAssertion.algorithms.map(\.rawValue) + ["HS256"])
            ),
            ("acr_values_supported", .strings((1...3).map { "\(provider.profile.levelPrefix)\($0)" })),
        ])
    }

    /// What both carriers have.
    private var carrier: JSONObject {
        let url = world.url(provider.issuer)
        var document = common
        document.set("response_types_supported", ["code", "async_token"])
        document.append("server_initiated_authorization_endpoint", .string(url + PushEndpoints.authorizePath))
        document.append("server_initiated_cancel_endpoint", .string(url + PushEndpoints.cancelPath))
        return document
    }

    private var aurora: JSONObject {
        var document = carrier
        document.append("token_endpoint_auth_methods_supported", ["client_secret_basic", "client_assertion_jwt"])
        document.append("scopes_supported", .strings(Self.carrierScopes))
        document.append("mccmnc", 310_410)
        document.append("request_parameter_supported", [true])
        document.append("usertraits_supported", "sim_tenure_24")
        document.append("events_supported", ["port", "sim_swap"])
        return document
    }

    private var borealis: JSONObject {
        var document = carrier
        document.append(
            "token_endpoint_auth_methods_supported", .strings(SimulatedClient.Authentication.registered))
        document.append("scopes_supported", .string(Self.carrierScopes.joined(separator: " ")))
        document.append("mccmnc", "311480")
        document.append("request_parameter_supported", "false")
        document.append("claims_supported", .null)
        return document
    }

    private var plain: JSONObject {
        var document = common
        document.append(
            "introspection_endpoint", .string(world.url(provider.issuer) + IntrospectionEndpoint.path))
        document.append("grant_types_supported", ["authorization_code", "refresh_token"])
        document.append(
            "token_endpoint_auth_methods_supported", .strings(SimulatedClient.Authentication.registered))
        document.append("scopes_supported", ["openid", "profile", "email", "phone", "address", "offline_access"])
        document.append("request_parameter_supported", false)
        document.append("request_uri_parameter_supported", false)
        document.append("claims_parameter_supported", false)
        document.append("authorization_response_iss_parameter_supported", true)
        document.append("backchannel_logout_supported", true)
        document.append("backchannel_logout_session_supported", true)
        return document
    }

    private var telenor: JSONObject {
        let url = world.url(provider.issuer)
        var document = common
        document.set("response_modes_supported", ["query", "form_post"])
        document.remove("revocation_endpoint")
        document.append("grant_types_supported", ["authorization_code", "refresh_token"])
        document.append(
            "token_endpoint_auth_methods_supported", ["client_secret_basic", "client_secret_post"])
        document.append("scopes_supported", ["openid", "profile", "email", "phone", "offline_access"])
        document.append(
            "end_session_endpoint", .string(url + provider.profile.path(SignOutEndpoints.browserPath)))
        document.append(
            "custom_logout_endpoint", .string(url + provider.profile.path(SignOutEndpoints.serverPath)))
        return document
    }

    private var beyond: JSONObject {
        var document = common
        document.remove("revocation_endpoint")
        document.append("grant_types_supported", ["authorization_code"])
        document.append("token_endpoint_auth_methods_supported", ["client_secret_basic", "client_secret_post", "none"])
        document.append("scopes_supported", ["openid", "profile", "email"])
        return document
    }

    private static let carrierScopes = ["openid", "name", "email", "phone", "postal_code", "birthdate"]
}
