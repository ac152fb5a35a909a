/// A sign-in as an app sends it.
enum SignInRequest {
    private static let fields = [
        "POST /auth/signin HTTP/1.1", "Host: gatehouse.example", "User-Agent: ExampleApp/4.2 (Android 16)",
        "Accept: application/json", "Accept-Encoding: gzip, deflate", "Accept-Language: en-US",
        "Content-Type: application/json", "X-API-KEY: 7c1dfd5ba9f04ad2b3b8c34dcb27e5a1", "Connection: keep-alive",
    ]

    /// Head and body as they go over the wire.
    static var bytes: [UInt8] {
        let body = body(code: 0)
        let head = fields + ["Content-Length: \(body.utf8.count)"]
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }

    /// - Parameter code: makes the authorization code another one, since each is good for one sign-in.
    static func body(code: Int) -> String {
        """
        {"client_id":"\(Carrier.clientID)","code":"SplxlOBeZQQYbYS6WxSbIA-\(code)",\
        "redirect_uri":"com.example.app:/callback","nonce":"\(Carrier.nonce)",\
        "code_verifier":"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk","acr_values":"a1",\
        "correlation_id":"4711-0815","sdk_version":"1.0"}
        """
    }

    /// - Parameter idToken: what the provider's SDK has given to the app.
    static func body(idToken: String) -> String {
        """
        {"client_id":"\(Carrier.clientID)","id_token":"\(idToken)","nonce":"\(Carrier.nonce)","acr_values":"a1",\
        "correlation_id":"4711-0815","sdk_version":"1.0"}
        """
    }

    /// The same body as a form.
    static func form(code: Int) -> [UInt8] {
        Array(
            """
            client_id=\(Carrier.clientID)&code=SplxlOBeZQQYbYS6WxSbIA-\(code)&\
            redirect_uri=com.example.app%3A%2Fcallback&nonce=\(Carrier.nonce)&\
            code_verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk&acr_values=a1&\
            correlation_id=4711-0815&sdk_version=1.0
            """.utf8)
    }
}
