import Accounts
import HTTPClient
import Logging
import SignIn
import WebAPI

/// What the API of every loop is made of, but for the loop's own HTTP client.
struct APIParts: Sendable {
    let repository: any AccountRepository
    let keys: SessionKeys
    let providers: ProviderDirectory
    let codes: CodesInFlight
    let clock: Clock
    let apiKeys: APIKeys
    let limiter: AddressLimiter
    let clientAddress: ClientAddress
    let logger: Logger

    func api(sessionIssuer: SessionIssuer, client: HTTPClient) -> WebAPI {
        WebAPI(
            providers: providers,
            signIn: SignInWithCode(
                repository: repository, sessions: sessionIssuer, codes: codes, transport: client, clock: clock),
            sessions: Sessions(repository: repository, issuer: sessionIssuer, clock: clock), apiKeys: apiKeys,
            limiter: limiter, clientAddress: clientAddress, logger: logger)
    }
}
