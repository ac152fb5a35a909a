/// A host and a port as they stand in a URL, with brackets around an IPv6 address (RFC 3986 §3.2.2).
func authority(of host: String, port: UInt16) -> String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
