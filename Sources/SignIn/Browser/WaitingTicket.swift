internal import Accounts
internal import Apps
internal import Crypto
internal import JSON
internal import Providers
import Syntax
internal import System

/// The link ticket of somebody unknown who has signed in through the browser, where registration is by ticket. It waits
/// for the app under the app's code, and goes to nobody who has not that and the verifier: never into an address.
///
/// It has a row among the sign-ins that are under way, as it is one: sealed under the code, which is used once.
struct WaitingTicket: Sendable {
    private let code: String
    private let client: String
    private let redirectURI: String
    private let codeChallenge: String
    let ticket: LinkTicket

    init(_ ticket: LinkTicket, for grant: AppGrant) {
        self.ticket = ticket
        code = grant.code
        client = grant.client
        redirectURI = grant.redirectURI
        codeChallenge = grant.codeChallenge
    }

    /// Whether it is for who presents the code.
    func isFor(_ redemption: AppCodeRedemption, of code: String) -> Bool {
        code.isExactly(self.code) && client.isExactly(redemption.client)
            && codeChallenge.isExactly(redemption.codeChallenge)
            && redemption.redirectURI.map { $0.isExactly(redirectURI) } ?? true
    }
}

extension WaitingTicket {
    var encoded: [UInt8] {
        var writer = JSONWriter(reservingCapacity: 1024)
        writer.object { body in
            body.member("app_code", code)
            body.member("waiting_client", client)
            body.member("redirect_uri", redirectURI)
            body.member("code_challenge", codeChallenge)
            body.member("ticket", Base64URL.encode(ticket.encoded))
        }
        return writer.bytes
    }

    init?(encoded: [UInt8]) {
        guard let document = try? JSONValue(parsing: encoded.span), let code = document["app_code"]?.string,
            let client = document["waiting_client"]?.string,
            let redirectURI = document["redirect_uri"]?.string,
            let codeChallenge = document["code_challenge"]?.string,
            let ticket = document["ticket"]?.string.flatMap(Base64URL.decode).flatMap(LinkTicket.init(encoded:))
        else { return nil }
        (self.code, self.client, self.redirectURI, self.codeChallenge) = (code, client, redirectURI, codeChallenge)
        self.ticket = ticket
    }
}

extension BrowserSignIn {
    /// Leaves a ticket for the app, under the code that it is sent back with.
    func leave(
        _ ticket: LinkTicket, for grant: AppGrant, _ browser: BrowserKey, _ network: NetworkHash
    ) async throws(ServiceError) {
        guard let handle = PendingHandle(ofAppCode: grant.code) else { throw .overloaded }
        let isStored = try await store(
            WaitingTicket(ticket, for: grant).encoded, under: handle, browser, network, instead: nil,
            seconds: AppGrant.lifetimeSeconds)
        guard isStored else { throw .overloaded }
    }
}

extension AppTokens {
    /// The ticket that waits under a code, which is used up by it; nil where none does for who presents the code.
    func waitingTicket(
        under code: String, _ redemption: AppCodeRedemption
    ) async throws(ServiceError) -> LinkTicket? {
        guard let handle = PendingHandle(ofAppCode: code) else { return nil }
        let row = try await stored { () throws(RepositoryError) in
            try await repository.pendingSignIn(handle.hash, now: redemption.now)
        }
        guard let content = row.flatMap({ handle.opened($0.content) }), let waiting = WaitingTicket(encoded: content),
            waiting.isFor(redemption, of: code)
        else { return nil }
        let isFirst = try await stored { () throws(RepositoryError) in
            try await repository.endPendingSignIn(handle.hash, now: redemption.now)
        }
        return isFirst ? waiting.ticket : nil
    }
}

extension PendingHandle {
    /// What waits under an app's code waits under its random part.
    fileprivate init?(ofAppCode code: String) {
        guard let secret = AppCode.secret(of: code) else { return nil }
        self.init(secret)
    }
}
