// What a provider answers when it is asked as its client: nothing of it goes further than it may.
internal import FuzzSupport
internal import HTTPClient
internal import Providers

private let issuer = "https://login.example.com"
private let rules = AccessTokenRules(
    issuer: issuer, clientID: "our-client", audiences: ["https://api.example.com"], authentication: nil,
    clockSkewSeconds: 60)
private let now: Int64 = 1_790_000_000
/// As the input's first byte chooses.
private let statuses = [200, 201, 302, 400, 401, 403, 429, 500, 503]

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe fuzzInput(start, count)
    guard let choice = input.first else { return 0 }
    let status = statuses[Int(choice >> 2) % statuses.count]
    let response = OutboundResponse(
        status: status, headers: [(name: "Content-Type", value: "application/json")], body: Array(input.dropFirst()))
    switch choice & 3 {
    case 0: checkIntrospection(response)
    case 1:
        checkRefresh(response)
        checkMigration(response)
    case 2: checkPush(response)
    default: checkWords(response)
    }
    return 0
}

private func checkIntrospection(_ response: OutboundResponse) {
    guard let answer = try? IntrospectionAnswer(response) else { return }
    require(response.status == 200, "what is told of a token is told with 200")
    guard let proven = try? answer.verify(rules, now: now) else { return }
    require(proven.issuer == issuer, "a token that is proven is the issuer's")
    require((1...255).contains(proven.subject.utf8.count), "a token that is proven is about somebody")
    require(proven.authenticationTime.map { $0 <= now + 60 } ?? true, "nobody has authenticated in the future")
}

private func checkRefresh(_ response: OutboundResponse) {
    guard let tokens = try? RefreshedTokens(response) else { return }
    require(AccessTokenRules.isWellFormed(tokens.accessToken), "an access token can stand in a header")
    require(tokens.terms.refreshToken.map { !$0.isEmpty } ?? true, "a refresh token is none when it is empty")
    require(tokens.terms.lifetimeSeconds.map { $0 >= 0 } ?? true, "no token ends before it was given")
}

/// Apple's, where an app moves to another team.
private func checkMigration(_ response: OutboundResponse) {
    if (try? MigrationToken(response)) != nil {
        require((200..<300).contains(response.status), "a token is given with success")
    }
    guard let subject = try? TransferSubject(response) else { return }
    require((200..<300).contains(response.status), "what a user will be known by is told with success")
    require((1...255).contains(subject.value.utf8.count), "a user will be known by something")
}

private func checkPush(_ response: OutboundResponse) {
    guard case .accepted(let id, let expiresIn)? = try? PushAnswer(response) else { return }
    require((1...512).contains(id.utf8.count), "a request has a name")
    require(expiresIn.map { $0 > 0 } ?? true, "a request is asked for some time")
}

/// What of it goes into a log.
private func checkWords(_ response: OutboundResponse) {
    let sent = "the-code-that-was-sent"
    guard let words = ProviderWords(response, removing: [sent]) else { return }
    require(!words.description.contains(sent), "what was sent is not said again")
    require(!words.description.contains("@"), "no address of a person is said")
    require(
        words.description.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }, "a log line is one line")
    require(words.description.count <= 320, "a log line is short")
}
