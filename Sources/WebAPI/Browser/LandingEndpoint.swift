internal import Apps
internal import HTTPServer
internal import Pages
internal import SignIn

/// What a browser gets at an app's claimed address on our own host, when no app was opened by it: a page with a link.
///
/// Whatever came, a code or an error, stands in that link and nowhere else. Nothing is read, redeemed, stored or logged
/// of it, so there is nothing to refuse either. The routes are the configuration's and none of the API's document.
struct LandingEndpoint: Sendable {
    let landing: Landing
    let pages: BrowserPages

    func respond(_ context: RequestContext) async -> BrowserAnswer {
        let request = context.request
        let link = landing.link(query: request.query)
        return .page(.ok, pages.pages(for: request).landing(app: landing.app, address: link))
    }
}
