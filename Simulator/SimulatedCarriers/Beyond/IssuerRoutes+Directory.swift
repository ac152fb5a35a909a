internal import HTTPServer

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
