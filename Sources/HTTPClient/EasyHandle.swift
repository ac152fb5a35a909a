internal import CCurl

/// One of curl's easy handles, with one owner that frees it.
@safe
struct EasyHandle: ~Copyable {
    let raw: UnsafeMutableRawPointer
    /// Whether every option was taken. One that this build of curl does not know must not go unnoticed: most of them
    /// are there to keep something from happening.
    private(set) var isConfigured = true

    init?() {
        guard let raw = unsafe curl_easy_init() else { return nil }
        unsafe self.raw = unsafe raw
    }

    deinit {
        unsafe curl_easy_cleanup(raw)
    }

    mutating func set(_ option: CURLoption, _ value: Int) {
        note(unsafe CCurl_easy_set_long(raw, option, value))
    }

    /// Curl keeps a copy; nil takes the option away.
    mutating func set(_ option: CURLoption, _ value: String?) {
        note(unsafe CCurl_easy_set_string(raw, option, value))
    }

    mutating func set(_ option: CURLoption, _ pointer: UnsafeRawPointer?) {
        note(unsafe CCurl_easy_set_pointer(raw, option, pointer))
    }

    /// Notes what a setter without a shim here returned.
    mutating func note(_ code: CURLcode) {
        if code != CURLE_OK { isConfigured = false }
    }

    /// The socket of the connection that was made; -1 where there is none.
    var socket: Int32 {
        var socket: Int32 = -1
        return unsafe CCurl_easy_get_socket(raw, &socket) == CURLE_OK ? socket : -1
    }

    /// How long after the beginning something was done; zero where it was not.
    func duration(_ info: CURLINFO) -> Duration {
        var microseconds: curl_off_t = 0
        let code = unsafe CCurl_easy_get_microseconds(raw, info, &microseconds)
        return code == CURLE_OK ? .microseconds(microseconds) : .zero
    }

    func integer(_ info: CURLINFO) -> Int {
        var value = 0
        return unsafe CCurl_easy_get_long(raw, info, &value) == CURLE_OK ? value : 0
    }
}
