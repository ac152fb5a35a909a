internal import CCurl

/// The library as a whole, which must be made ready once before its first use and is never taken down.
enum CurlLibrary {
    /// Whether the library is ready, and uses the OpenSSL that trust anchors are made for. A `static let` is computed
    /// once, whichever threads ask first.
    static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK && usesOpenSSL

    private static var usesOpenSSL: Bool {
        guard let name = unsafe CCurl_tls_library() else { return false }
        return unsafe String(cString: name).contains("OpenSSL/3.")
    }

    /// Where this build of the library finds the system's trust anchors; nil when it was built without.
    static var systemTrustAnchors: String? {
        guard isReady, let handle = EasyHandle() else { return nil }
        var path: UnsafeMutablePointer<CChar>?
        guard unsafe CCurl_easy_get_string(handle.raw, CURLINFO_CAINFO, &path) == CURLE_OK, let path = unsafe path
        else {
            return nil
        }
        return unsafe String(cString: path)
    }
}
