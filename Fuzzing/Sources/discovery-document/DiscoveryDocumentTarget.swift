internal import FuzzSupport
internal import HTTPClient
// Metadata that was taken names only endpoints that may be called.
internal import Providers
import Syntax

private func check(_ endpoint: EndpointURL?) {
    guard let endpoint else { return }
    require(endpoint.scheme == "https", "an endpoint is called by https")
    require(!endpoint.host.isEmpty && !endpoint.host.utf8.contains(UInt8(ascii: "@")), "an endpoint has a host")
    require(!endpoint.text.utf8.contains(UInt8(ascii: "#")), "an endpoint has no fragment")
    require(endpoint.text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }, "an endpoint's text fits into one line")
    let again = try? EndpointURL(endpoint.text, allowLoopbackHTTP: false)
    require(again == endpoint, "an endpoint's text means that endpoint")
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let response = OutboundResponse(status: 200, body: unsafe fuzzInput(start, count))
    guard case .found(let metadata) = try? Discovery.result(of: response, allowLoopbackHTTP: false) else { return 0 }
    require(!metadata.issuer.isEmpty, "metadata names its issuer")
    check(metadata.tokenEndpoint)
    check(metadata.keysEndpoint)
    check(metadata.userinfoEndpoint)
    return 0
}
