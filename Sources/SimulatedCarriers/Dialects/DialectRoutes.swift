internal import Crypto
internal import EventLoop
internal import HTTPServer

/// What a dialect answers, below its own path.
struct DialectRoutes {
    private static let tenant = "tenant"

    let world: World
    let provider: Provider
    let dialect: Dialect
    let loop: EventLoop

    var routes: [Route] {
        var routes = [native] + dialect.places.flatMap(routes)
        // Entra's places share one.
        if let path = dialect.places.lazy.compactMap(\.userinfo).first, dialect.refusesAtUserinfo {
            routes += userinfo(path)
        }
        switch provider.issuer {
        case .apple: routes += migration
        case .google: routes.append(events)
        case .line: routes.append(verification)
        default: break
        }
        return routes
    }

    private var base: String { "/\(provider.issuer.rawValue)" }

    private func routes(_ place: DialectPlace) -> [Route] {
        var routes = [configuration(place), keys(place)]
        if let path = place.authorize { routes += authorization(base + path) }
        if let path = place.token { routes.append(token(base + path)) }
        if let path = place.userinfo, !dialect.refusesAtUserinfo { routes += userinfo(path) }
        if let path = place.revocation { routes.append(revocation(base + path)) }
        return routes
    }

    /// The answer for the tenant in the request's address; 404 where there is no such.
    private func answer(
        _ request: HTTPRequest, at endpoint: SimulatedEndpoint, plan: MisbehaviourPlan = .none,
        _ respond: ([Misbehaviour]) throws(CryptoError) -> HTTPResponse
    ) async -> HTTPResponse {
        if let name = request.parameters[Self.tenant], dialect.site(name, of: base) == nil {
            return OAuthError("invalid_tenant", "The tenant is none that there is.", status: .notFound).response
        }
        return await Exchange(world: world, loop: loop, request: request, port: world.port(.dialects)).answer(
            at: endpoint, of: provider.issuer, plan: plan, respond)
    }

    private func configuration(_ place: DialectPlace) -> Route {
        Route(.get, "\(base)\(place.home)/.well-known/openid-configuration") { request in
            await answer(request, at: .configuration) { misbehaviours in
                let name: String? =
                    if case .named(let name) = place.tenants { name } else { request.parameters[Self.tenant] }
                guard let site = dialect.site(name, of: world.url(provider.issuer)) else {
                    return HTTPResponse(status: .notFound)
                }
                let metadata = DialectMetadata(provider: provider, dialect: dialect, site: site)
                return .document(metadata.document(misbehaviours.document))
            }
        }
    }

    private func keys(_ place: DialectPlace) -> Route {
        Route(.get, base + place.keys) { request in
            await answer(request, at: .keys) { misbehaviours throws(CryptoError) in
                let keys = try KeySet.document(of: provider, misbehaviours.keys)
                return .document(DialectMetadata.keys(keys, of: provider, at: world.url(provider.issuer)))
            }
        }
    }

    private func authorization(_ path: String) -> [Route] {
        let broken = "The parameters can't be read."
        let start: @Sendable (HTTPRequest, Fields?) async -> HTTPResponse = { request, fields in
            await answer(request, at: .authorize) { misbehaviours in
                fields.map { endpoint(request, request.path).start($0, misbehaviours, nil) } ?? Page.error(broken)
            }
        }
        return [
            Route(.get, path) { request in await start(request, Fields(query: request)) },
            Route(.post, path) { request in await start(request, Fields(form: request)) },
            Route(.post, "\(path)/decision") { request in
                let shown = String(request.path.dropLast("/decision".count))
                return Fields(form: request).map { endpoint(request, shown).decide($0, []) } ?? Page.error(broken)
            },
        ]
    }

    private func endpoint(_ request: HTTPRequest, _ path: String) -> AuthorizeEndpoint {
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
            return await answer(request, at: .token, plan: plan) { misbehaviours throws(CryptoError) in
                if provider.issuer == .apple,
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
        let endpoint = UserinfoEndpoint(world: world, provider: provider)
        let respond: @Sendable (HTTPRequest) async -> HTTPResponse = { request in
            let grant = Result { () throws(OAuthError) in try endpoint.grant(request) }
            let plan = (try? grant.get())?.plan ?? .none
            return await answer(request, at: .userinfo, plan: plan) { misbehaviours throws(CryptoError) in
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
            await answer(request, at: .revocation) { _ in
                RevocationEndpoint(world: world, provider: provider).respond(to: request)
            }
        }
    }

    private var native: Route {
        let endpoint = NativeEndpoint(world: world, provider: provider, dialect: dialect)
        return Route(.post, base + NativeEndpoint.path) { request in
            await answer(request, at: .native, plan: endpoint.plan(request)) { misbehaviours throws(CryptoError) in
                try endpoint.respond(to: request, misbehaviours)
            }
        }
    }

    private var migration: [Route] {
        let migration = AppleMigration(world: world, provider: provider)
        return [
            Route(.post, base + AppleMigration.path) { request in
                await answer(request, at: .migration) { _ in migration.respond(to: request) }
            },
            Route(.post, base + AppleMigration.controlPath) { migration.transfer($0) },
        ]
    }

    private var events: Route {
        Route(.get, "\(base)/.well-known/risc-configuration") { _ in
            let url = world.url(provider.issuer)
            return .document(ProviderEvent.configuration(of: url, keys: url + (dialect.places.first?.keys ?? "")))
        }
    }

    private var verification: Route {
        let endpoint = LINEVerification(world: world, provider: provider)
        return Route(.post, base + LINEVerification.path) { request in
            await answer(request, at: .verification) { _ in endpoint.respond(to: request) }
        }
    }
}
