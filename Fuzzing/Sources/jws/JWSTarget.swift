// No token verifies but one that the key's owner has signed: here, those of the specification's appendices.
internal import Crypto
internal import FuzzSupport
internal import JOSE

/// The public keys of RFC 7515 appendices A.2 and A.3 and of RFC 8037 appendix A.2.
private let keyDocument = """
    {"keys":[
    {"kty":"RSA","e":"AQAB","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1P\
    t0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS\
    -UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2P\
    AcDTW9gb54h4FRWyuXpoQ"},
    {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
    "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},
    {"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}
    """

/// What their owners have signed, as the payload reads.
private let signed: [[UInt8]] = [
    Array("{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}".utf8),
    Array("Example of Ed25519 signing".utf8),
]

private let keys: JWKSet? = try? JWKSet(parsing: keyDocument.utf8.span, maximumKeyCount: 3)

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let keys else { preconditionFailure("the key set is well-formed") }
    require(keys.keys.count == 3, "every key of the set can be used")
    let input = unsafe fuzzInput(start, count)
    guard let token = try? CompactJWS(parsing: input, maximumByteCount: 4096) else { return 0 }
    require(input.count <= 4096, "a token is within its limit")
    guard let verified = try? JWS.verify(token, keys: keys, allowed: SignatureAlgorithm.allCases) else { return 0 }
    require(signed.contains(verified.payload), "a token that verifies was signed by the key's owner")
    return 0
}
