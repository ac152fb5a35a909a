internal import Crypto
internal import EventLoop
internal import HTTPServer

/// What a dialect answers, below its own path.
struct DialectRoutes {
    private static let tenant = "tenant"

    let world: World
    let issuer: SimulatedIssuer
    let dialect: Dialect
    let loop: EventLoop

    var routes: [Route] {
        var routes = [native] + dialect.places.flatMap(routes)
        // Entra's places share one.
        if let path = dialect.places.lazy.compactMap(\.userinfo).first, dialect.refusesAtUserinfo {
            routes += userinfo(path)
        }
        switch issuer {
        case .apple: routes += migration
        case .google: routes.append(events)
        case .line: routes.append(verification)
        default: break
        }
        return routes
    }

    private var base: String { "/\(issuer.rawValue)" }

    private func routes(_ place: DialectPlace) -> [Route] {
        var routes = [configuration(place), keys(place)]
        if let path = place.authorize { routes += authorization(base + path) }
        if let path = place.token { routes.append(token(base + path)) }
        if let path = place.userinfo, !dialect.refusesAtUserinfo { routes += userinfo(path) }
        if let path = place.revocation { routes.append(revocation(base + path)) }
        return routes
    }

    /// The answer of the provider to the tenant in the request's address; 404 where there is no such.
    private func answer(
        _ request: HTTPRequest, at endpoint: SimulatedEndpoint, plan: MisbehaviourPlan = .none,
        _ respond: (Provider, [Misbehaviour]) throws(CryptoError) -> HTTPResponse
    ) async -> HTTPResponse {
        if let name = request.parameters[Self.tenant], dialect.site(name, of: base) == nil {
            return OAuthError("invalid_tenant", "The tenant is none that there is.", status: .notFound).response
        }
        guard let provider = world.provider(issuer) else { return HTTPResponse(status: .internalServerError) }
        return await Exchange(world: world, loop: loop, request: request, port: world.port(.dialects)).answer(
            at: endpoint, of: issuer, plan: plan
        ) { misbehaviours throws(CryptoError) in
            try respond(provider, misbehaviours)
        }
    }

    private func configuration(_ place: DialectPlace) -> Route {
        Route(.get, "\(base)\(place.home)/.well-known/openid-configuration") { request in
            await answer(request, at: .configuration) { provider, misbehaviours in
                let name: String? =
                    if case .named(let name) = place.tenants { name } else { request.parameters[Self.tenant] }
                guard let site = dialect.site(name, of: world.url(issuer)) else {
                    return HTTPResponse(status: .notFound)
                }
                let metadata = DialectMetadata(provider: provider, dialect: dialect, site: site)
                return .document(metadata.document(misbehaviours.document))
            }
        }
    }

    private func keys(_ place: DialectPlace) -> Route {
        Route(.get, base + place.keys) { request in
            await answer(request, at: .keys) { provider, misbehaviours throws(CryptoError) in
                let keys = try KeySet.document(of: provider, misbehaviours.keys)
                // Only directories share keys, and say of each whose it is.
                guard case .directories = place.tenants else { return .document(keys) }
                return .document(DialectMetadata.keys(keys, of: provider, at: world.url(issuer)))
            }
        }
    }

    private func authorization(_ path: String) -> [Route] {
        let broken = "The parameters can't be read."
        let start: @Sendable (HTTPRequest, Fields?) async -> HTTPResponse = { request, fields in
            await answer(request, at: .authorize) { provider, misbehaviours in
                let endpoint = authorizeEndpoint(of: provider, request, request.path)
                return fields.map { endpoint.start($0, misbehaviours, nil) } ?? Page.error(broken)
            }
        }
        return [
            Route(.get, path) { request in await start(request, Fields(query: request)) },
            Route(.post, path) { request in await start(request, Fields(form: request)) },
            Route(.post, "\(path)/decision") { request in
                let shown = String(request.path.dropLast("/decision".count))
                let endpoint = world.provider(issuer).map { authorizeEndpoint(of: $0, request, shown) }
                guard let endpoint, let fields = Fields(form: request) else { return Page.error(broken) }
                return endpoint.decide(fields, [])
            },
        ]
    }

    private func authorizeEndpoint(
        of provider: Provider, _ request: HTTPRequest, _ path: String
    ) -> AuthorizeEndpoint {
        let name = request.parameters[Self.tenant] ?? organization(path)
        let tenant = dialect.site(name, of: base)?.signedInTenant
        return AuthorizeEndpoint(world: world, provider: provider, path: path, tenant: tenant)
    }

    /// The name of the place whose authorization endpoint has this path, where that is no parameter.
    private func organization(_ path: String) -> String? {
        for place in dialect.places {
            if case .named(let name) = place.tenants, place.authorize.map({ base + $0 }) == path { return name }
        }
        return nil
    }

    private func token(_ path: String) -> Route {
        Route(.post, path) { request in
            let plan = GrantStore.plan(ofCode: Fields(form: request)?["code"] ?? "")
            return await answer(request, at: .token, plan: plan) { provider, misbehaviours throws(CryptoError) in
                if issuer == .apple,
                    let response = AppleMigration(world: world, provider: provider).token(request)
                {
                    return response
                }
                let tenant = request.parameters[Self.tenant]
                return try TokenEndpoint(world: world, provider: provider, tenant: tenant).respond(
                    to: request, misbehaviours)
            }
        }
    }

    private func userinfo(_ path: String) -> [Route] {
        let respond: @Sendable (HTTPRequest) async -> HTTPResponse = { request in
            guard let provider = world.provider(issuer) else { return HTTPResponse(status: .internalServerError) }
            let endpoint = UserinfoEndpoint(world: world, provider: provider)
            let grant = Result { () throws(OAuthError) in try endpoint.grant(request) }
            let plan = (try? grant.get())?.plan ?? .none
            return await answer(request, at: .userinfo, plan: plan) { _, misbehaviours throws(CryptoError) in
                switch grant {
                case .success(let grant): try endpoint.respond(grant, misbehaviours)
                case .failure(let failure): failure.response
                }
            }
        }
        return [Route(.get, base + path, respond), Route(.post, base + path, respond)]
    }

    private func revocation(_ path: String) -> Route {
        Route(.post, path) { request in
            await answer(request, at: .revocation) { provider, _ in
                RevocationEndpoint(world: world, provider: provider).respond(to: request)
            }
        }
    }

    private var native: Route {
        Route(.post, base + NativeEndpoint.path) { request in
            let plan = NativeEndpoint.plan(request)
            return await answer(request, at: .native, plan: plan) { provider, misbehaviours throws(CryptoError) in
                try NativeEndpoint(world: world, provider: provider, dialect: dialect).respond(
                    to: request, misbehaviours)
            }
        }
    }

    private var migration: [Route] {
        [
            Route(.post, base + AppleMigration.path) { request in
                await answer(request, at: .migration) { provider, _ in
                    AppleMigration(world: world, provider: provider).respond(to: request)
                }
            },
            Route(.post, base + AppleMigration.controlPath) { request in
                guard let provider = world.provider(issuer) else { return HTTPResponse(status: .internalServerError) }
                return AppleMigration(world: world, provider: provider).transfer(request)
            },
        ]
    }

    private var events: Route {
        Route(.get, "\(base)/.well-known/risc-configuration") { _ in
            let url = world.url(issuer)
            return .document(ProviderEvent.configuration(of: url, keys: url + (dialect.places.first?.keys ?? "")))
        }
    }

    private var verification: Route {
        Route(.post, base + LINEVerification.path) { request in
            await answer(request, at: .verification) { provider, _ in
                LINEVerification(world: world, provider: provider).respond(to: request)
            }
        }
    }
}
