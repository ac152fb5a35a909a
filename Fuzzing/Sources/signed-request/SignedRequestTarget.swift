// Nothing is taken for a request of Facebook's but what the app's secret has signed; and of that only what is about
// somebody, now.
internal import Crypto
internal import FuzzSupport
internal import Providers
internal import Syntax

private let secret = Secret("an app's secret")
private let now: Int64 = 1_790_000_000

private func verified(_ text: String) -> ProviderEvents? {
    try? SignedRequest.verify(
        text, as: .accountDeleted, secret: secret, now: now, maximumAgeSeconds: 3600, clockSkewSeconds: 60)
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe fuzzInput(start, count)
    // As it comes: no input finds a signature.
    require(verified(String(decoding: input, as: UTF8.self)) == nil, "what nobody has signed is refused")
    // And as if Facebook had signed it, for what is read behind the signature.
    let payload = Base64URL.encode(input)
    let signature = Base64URL.encode(HMAC.sha256(payload.utf8.span, key: secret))
    guard let events = verified("\(signature).\(payload)") else { return 0 }
    require(events.events.count == 1, "a request is one event")
    for event in events.events {
        require((1...64).contains(event.subject?.utf8.count ?? 0), "an event is about somebody")
        require((now - 3660...now + 60).contains(event.time), "an event is no older and no newer than is allowed")
    }
    // A bit of the signature, and it is nobody's.
    let other = Base64URL.encode(HMAC.sha256(payload.utf8.span, key: Secret("another app's secret")))
    require(verified("\(other).\(payload)") == nil, "what another secret has signed is refused")
    return 0
}
