internal import Crypto
internal import EventLoop
internal import HTTPServer

/// What one port answers.
struct IssuerRoutes {
    let world: World
    let listener: Listener
    let loop: EventLoop

    func routes() -> [Route] {
        var routes = ControlEndpoints(world: world).routes
        if listener == .discovery {
            routes += discovery
            if let gatehouse = world.gatehouse { routes += SampleApp(world: world, gatehouse: gatehouse).routes }
            for issuer in SimulatedIssuer.providers {
                guard let provider = world.provider(issuer), provider.profile.spreadsOverOrigins else { continue }
                routes += resources(of: provider, under: "/\(issuer.rawValue)")
            }
        } else if listener == .dialects {
            for issuer in SimulatedIssuer.dialects {
                guard let dialect = Dialect.of(issuer) else { continue }
                routes += DialectRoutes(world: world, issuer: issuer, dialect: dialect, loop: loop).routes
            }
        } else if let provider = listener.issuer.flatMap(world.provider) {
            routes +=
                configuration(of: provider) + authorization(of: provider) + [
                    token(of: provider), revocation(of: provider),
                ]
            routes += resources(of: provider, under: "")
            if provider.issuer.isCarrier {
                routes += pushes(of: provider)
            } else {
                routes.append(introspection(of: provider))
            }
            if provider.profile.keepsSessions {
                routes += signOut(of: provider) + AlohaEndpoints(world: world, provider: provider).routes
            }
            if let book = provider.directory { routes += directory(of: provider, book) }
        }
        return routes
    }

    func exchange(_ request: HTTPRequest) -> Exchange {
        Exchange(world: world, loop: loop, request: request, port: world.port(listener))
    }

    private var discovery: [Route] {
        let endpoint = DiscoveryEndpoint(world: world)
        return [
            Route(.get, "/.well-known/openid_configuration") { request in
                let fields = Fields(query: request)
                let carrier = fields.flatMap { endpoint.carrier($0) }
                let issuer = carrier?.issuer ?? .discovery
                return await exchange(request).answer(at: .discovery, of: issuer, plan: .none) { misbehaviours in
                    endpoint.respond(fields, carrier, misbehaviours.document)
                }
            },
            Route(.get, DiscoveryEndpoint.userInterfacePath) { endpoint.userInterface(Fields(query: $0)) },
        ]
    }

    private func configuration(of provider: Provider) -> [Route] {
        [
            Route(.get, "/.well-known/openid-configuration") { request in
                await exchange(request).answer(
                    at: .configuration, of: provider.issuer, plan: .none
                ) { misbehaviours in
                    switch misbehaviours.document {
                    case .providerNotFound:
                        DiscoveryEndpoint.error("provider_not_found", "The simulation was asked for this.")
                    case .errorInside200:
                        DiscoveryEndpoint.error("server_error", "The simulation was asked for this.")
                    case let misbehaviour:
                        .document(Configuration(world: world, provider: provider).document(misbehaviour))
                    }
                }
            },
            Route(.get, "/.well-known/risc-configuration") { _ in
                .document(
                    ProviderEvent.configuration(
                        of: world.url(provider.issuer), keys: world.url(provider.issuer) + "/jwks"))
            },
        ]
    }

    private func authorization(of provider: Provider) -> [Route] {
        let path = provider.profile.path("authorize")
        let endpoint = AuthorizeEndpoint(world: world, provider: provider, path: path)
        let broken = "The parameters can't be read."
        return [
            Route(.get, path) { request in
                let session = provider.sessions.shown(by: request, now: World.now)
                return await exchange(request).answer(at: .authorize, of: provider.issuer, plan: .none) {
                    misbehaviours in
                    Fields(query: request).map { endpoint.start($0, misbehaviours, session) } ?? Page.error(broken)
                }
            },
            Route(.post, path) { request in
                let session = provider.sessions.shown(by: request, now: World.now)
                return await exchange(request).answer(at: .authorize, of: provider.issuer, plan: .none) {
                    misbehaviours in
                    Fields(form: request).map { endpoint.start($0, misbehaviours, session) } ?? Page.error(broken)
                }
            },
            Route(.post, "\(path)/decision") { request in
                Fields(form: request).map { endpoint.decide($0, []) } ?? Page.error(broken)
            },
        ]
    }

    private func token(of provider: Provider) -> Route {
        let endpoint = TokenEndpoint(world: world, provider: provider)
        return Route(.post, provider.profile.path("token")) { request in
            let plan = GrantStore.plan(ofCode: Fields(form: request)?["code"] ?? "")
            return await exchange(request).answer(
                at: .token, of: provider.issuer, plan: plan
            ) { misbehaviours throws(CryptoError) in
                try endpoint.respond(to: request, misbehaviours)
            }
        }
    }

    private func revocation(of provider: Provider) -> Route {
        let endpoint = RevocationEndpoint(world: world, provider: provider)
        return Route(.post, RevocationEndpoint.path) { request in
            await exchange(request).answer(at: .revocation, of: provider.issuer, plan: .none) { _ in
                endpoint.respond(to: request)
            }
        }
    }

    private func introspection(of provider: Provider) -> Route {
        let endpoint = IntrospectionEndpoint(world: world, provider: provider)
        return Route(.post, IntrospectionEndpoint.path) { request in
            await exchange(request).answer(
                at: .introspection, of: provider.issuer, plan: endpoint.plan(request)
            ) { misbehaviours throws(CryptoError) in
                try endpoint.respond(request, misbehaviours)
            }
        }
    }

    private func pushes(of provider: Provider) -> [Route] {
        let endpoints = PushEndpoints(world: world, provider: provider)
        let control = PushControl(world: world)
        return [
            Route(.post, PushEndpoints.authorizePath) { request in
                var isNotifiedFirst = false
                var asked: PushBook.Entry?
                let answer = await exchange(request).answer(
                    at: .push, of: provider.issuer, plan: .none
                ) { misbehaviours in
                    isNotifiedFirst = misbehaviours.push == .notifiedFirst
                    let (response, entry) = endpoints.authorize(request, misbehaviours)
                    asked = entry
                    return response
                }
                if let asked, isNotifiedFirst { _ = await control.notify(asked, PushControl.approval, provider, []) }
                return answer
            },
            Route(.post, PushEndpoints.cancelPath) { request in
                await exchange(request).answer(at: .pushCancellation, of: provider.issuer, plan: .none) { _ in
                    endpoints.cancel(request)
                }
            },
            Route(.get, PushEndpoints.phonePath) { _ in endpoints.phone() },
            Route(.post, PushEndpoints.phonePath) { request in
                let fields = Fields(form: request)
                let entry = provider.pushes.take(evenIfOver: false, now: World.now) {
                    $0.request.id == fields?["request"]
                }
                guard let entry, let decision = fields?["decision"] else { return Page.error("It is over.") }
                _ = await control.notify(entry, decision, provider, [])
                return .redirect(to: PushEndpoints.phonePath)
            },
        ]
    }

    private func signOut(of provider: Provider) -> [Route] {
        let endpoints = SignOutEndpoints(world: world, provider: provider)
        let path = provider.profile.path(SignOutEndpoints.browserPath)
        return [
            Route(.get, path) { request in
                await exchange(request).answer(at: .endSession, of: provider.issuer, plan: .none) { _ in
                    endpoints.endSession(Fields(query: request))
                }
            },
            Route(.post, path) { request in
                await exchange(request).answer(at: .endSession, of: provider.issuer, plan: .none) { _ in
                    endpoints.endSession(Fields(form: request))
                }
            },
            Route(.post, provider.profile.path(SignOutEndpoints.serverPath)) { request in
                await exchange(request).answer(at: .customLogout, of: provider.issuer, plan: .none) { misbehaviours in
                    endpoints.logOut(request, misbehaviours)
                }
            },
        ]
    }

    private func resources(of provider: Provider, under path: String) -> [Route] {
        let keys = Route(.get, "\(path)/jwks") { request in
            await exchange(request).answer(
                at: .keys, of: provider.issuer, plan: .none
            ) { misbehaviours throws(CryptoError) in
                .document(try KeySet.document(of: provider, misbehaviours.keys))
            }
        }
        let endpoint = UserinfoEndpoint(world: world, provider: provider)
        let userinfo: @Sendable (HTTPRequest) async -> HTTPResponse = { request in
            let grant = Result { () throws(OAuthError) in try endpoint.grant(request) }
            let plan = (try? grant.get())?.plan ?? .none
            return await exchange(request).answer(
                at: .userinfo, of: provider.issuer, plan: plan
            ) { misbehaviours throws(CryptoError) in
                switch grant {
                case .success(let grant): try endpoint.respond(grant, misbehaviours)
                case .failure(let failure): failure.response
                }
            }
        }
        let methods: [HTTPMethod] = provider.profile.takesPostAtUserinfo ? [.get, .post] : [.get]
        return [keys] + methods.map { Route($0, path + provider.profile.path("userinfo"), userinfo) }
    }
}

extension IssuerRoutes {
    /// The APIs of an issuer's directory, and the pages that go with them.
    func directory(of provider: Provider, _ book: DirectoryBook) -> [Route] {
        let endpoints = DirectoryEndpoints(world: world, provider: provider, book: book)
        typealias Respond = @Sendable (HTTPRequest, [Misbehaviour]) -> HTTPResponse
        func route(
            _ method: HTTPMethod, _ path: String, _ endpoint: SimulatedEndpoint, _ respond: @escaping Respond
        ) -> Route {
            Route(method, path) { request in
                await exchange(request).answer(at: endpoint, of: provider.issuer, plan: .none) {
                    respond(request, $0)
                }
            }
        }
        let realm = DirectoryEndpoints.realm
        return BindingPage(book: book).routes + [
            route(.post, DirectoryEndpoints.apiOf2021 + "/users", .directoryUsers) { endpoints.addUser($0, $1) },
            route(.post, DirectoryEndpoints.apiOf2021 + "/recover-user", .directoryRecovery) {
                endpoints.recoverUser($0, $1)
            },
            route(.post, DirectoryEndpoints.tokenPath, .directoryToken) { request, _ in endpoints.token(request) },
            route(.post, realm + "/identities", .directoryIdentities) { endpoints.addIdentity($0, $1) },
            route(.get, realm + "/identities", .directorySearch) { endpoints.findIdentities($0, $1) },
            route(.post, realm + "/identities/{id}/credential-binding-jobs", .directoryJobs) {
                endpoints.addJob($0, $1)
            },
        ]
    }
}
