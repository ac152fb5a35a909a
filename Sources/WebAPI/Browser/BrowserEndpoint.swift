internal import HTTPServer
internal import SignIn

/// Answers a browser. It never throws: whoever sits before it is shown a page, or sent back to the app.
typealias BrowserHandler = @Sendable (RequestContext) async -> BrowserAnswer

/// What an operation for browsers does with a request: it asks for no API key, and writes the log.
struct BrowserEndpoint: Sendable {
    let path: String
    let handler: BrowserHandler
    let log: RequestLog
    let clientAddress: ClientAddress
    let failedSignIns: FailedSignInCounter

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let context = RequestContext(request, clientAddress)
        let answer = await handler(context)
        if context.signIn != nil {
            log.writeSignIn(context, answer.error)
            if let error = answer.error {
                failedSignIns.count(error, provider: context.provider, from: context.network)
            }
        } else if let error = answer.error {
            log.writeFailure(error, route: path, context)
        }
        log.write(request, route: path, answer.response, context)
        return answer.response
    }
}
