// A key set that was taken is within its limit, and every key of it is one that can be published again and read the
// same.
internal import Crypto
internal import FuzzSupport
internal import JSON

@testable internal import JOSE

private let limit = 4

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe fuzzInput(start, count)
    guard let set = try? JWKSet(parsing: input.span, maximumKeyCount: limit) else { return 0 }
    require(set.keys.count + set.unusableKeyCount <= limit, "there are as many keys as the limit allows")
    for key in set.keys {
        let thumbprint = key.publicKey.thumbprint
        let written = JSONValue.object(key.publicKey.jwk(keyID: key.keyID, algorithm: .rs256))
        guard let again = try? JWK(written) else {
            require(false, "a key written again can be read")
            return 0
        }
        require(again.publicKey.thumbprint == thumbprint, "a key written again is the same key")
        require(again.keyID == key.keyID, "a key written again has its name")
    }
    return 0
}
