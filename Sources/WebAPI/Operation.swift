internal import Accounts
internal import HTTPServer
internal import SignIn

/// One method of one path: whom it answers, what answers, and what the document says of it.
///
/// The router and the document are made from the same table of these, so that neither has what the other has not.
struct Operation<Table: OperationTable>: Sendable {
    let method: HTTPMethod
    /// A segment in braces is a parameter.
    let path: String
    let access: Table.Access
    let description: Table.Description
    /// Makes what answers on one loop.
    let endpoint: @Sendable (Table.Services) -> Endpoint<Table.Answering>
}

extension Operation {
    /// - Parameter respond: what is done with a request that is not answered alike for everybody, given the path and
    ///   what answers it.
    func route(
        _ services: Table.Services, _ log: RequestLog,
        _ respond: (String, Table.Answering) -> @Sendable (HTTPRequest) async -> HTTPResponse
    ) -> Route {
        switch endpoint(services) {
        case .open(let handler):
            Route(method, path, OpenEndpoint(path: path, handler: handler, log: log).respond)
        case .handler(let handler): Route(method, path, respond(path, handler))
        }
    }
}

/// All operations of one listener.
protocol OperationTable {
    /// What their endpoints are made of.
    associatedtype Services: Sendable
    /// Whom they answer.
    associatedtype Access: Sendable
    /// What answers those that do not answer everybody alike.
    associatedtype Answering: Sendable
    /// What the document says of each.
    associatedtype Description: Sendable

    static var all: [Operation<Self>] { get }
}

/// What answers an operation.
enum Endpoint<Answering: Sendable>: Sendable {
    /// Whoever asks, and whatever is sent besides.
    case open(OpenHandler)
    /// What it says may depend on who asks, and is logged with what was found out.
    case handler(Answering)
}

/// Answers at once, and finds nothing out.
typealias OpenHandler = @Sendable (HTTPRequest) -> HTTPResponse

/// Answers a request.
///
/// It is always a method and never a closure: a closure of such a type leaves the executor of whoever calls it, so that
/// each call that comes back to it, or to anything below it, becomes another job of the loop.
typealias Handler = @Sendable (RequestContext) async throws(ServiceError) -> HTTPResponse

/// Answers a request that is made under a session.
typealias UserHandler = @Sendable (RequestContext, Session) async throws(ServiceError) -> HTTPResponse

/// What an operation for everybody does with a request.
struct OpenEndpoint: Sendable {
    let path: String
    let handler: OpenHandler
    let log: RequestLog

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let response = handler(request)
        log.write(request, route: path, response)
        return response
    }
}

extension HTTPResponse {
    /// The process runs, and answers.
    static var healthy: HTTPResponse { .json(.ok, Array(#"{"status":"ok"}"#.utf8)) }
}
