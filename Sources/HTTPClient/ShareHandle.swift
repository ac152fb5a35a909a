internal import CCurl

/// Where the transfers of one pool keep TLS sessions, with one owner that frees it. It outlives the transfers.
///
/// It has no locks, as it is used on one thread.
@safe
struct ShareHandle: ~Copyable {
    let raw: UnsafeMutableRawPointer

    init?() {
        guard let raw = unsafe curl_share_init() else { return nil }
        let sessions = Int(CURL_LOCK_DATA_SSL_SESSION.rawValue)
        guard unsafe CCurl_share_set_long(raw, CURLSHOPT_SHARE, sessions) == CURLSHE_OK else {
            unsafe curl_share_cleanup(raw)
            return nil
        }
        unsafe self.raw = unsafe raw
    }

    deinit {
        unsafe curl_share_cleanup(raw)
    }
}
