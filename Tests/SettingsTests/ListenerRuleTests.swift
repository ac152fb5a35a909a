import Settings
import Testing

@Suite struct `Rules of listeners` {
    @Test(arguments: ["0.0.0.0", "::"])
    func `a listener on every address needs an issuer of tokens`(host: String) {
        let faults = load(least + "http: {host: '\(host)'}\n").faults
        #expect(faults.map(\.kind) == [.missing])
        #expect(faults.map(\.key) == ["session.issuer"])
        let named = load(least + "http: {host: '\(host)'}\nsession: {issuer: https://signin.example.com}\n")
        #expect(named.faults.isEmpty)
    }

    @Test(arguments: [("0.0.0.0", true), ("10.0.0.1", true), ("gatehouse", true), ("127.0.0.1", false), ("::1", false)])
    func `a listener that others reach, without trusted proxies, is worth a notice`(host: String, isTold: Bool) {
        let yaml = least + "session: {issuer: https://signin.example.com}\nhttp: {host: '\(host)'"
        let notices = load(yaml + "}\n").notices
        #expect(notices.map(\.key) == (isTold ? ["http.trustedProxies"] : []))
        #expect(notices.allSatisfy { $0.sentence.contains("shares its address") })
        #expect(load(yaml + ", trustedProxies: [10.0.0.0/8]}\n").notices.isEmpty)
    }

    @Test(arguments: ["10.0.0.0/8", "192.0.2.1", "2001:db8::/32", "fc00::/7", "fd00::/8", "fe80::/10", "::1"])
    func `a listener trusts proxies of one network`(range: String) {
        #expect(load(least + "http: {trustedProxies: ['\(range)']}\n").faults.isEmpty)
    }

    @Test func `a listener that https leads to says so for a year, or as long as it is told`() {
        let https = "session: {issuer: https://signin.example.com}\n"
        #expect(load(least + https).settings?.hstsSeconds == 31_536_000)
        #expect(load(least + https + "http: {hstsSeconds: 60}\n").settings?.hstsSeconds == 60)
        let off = load(least + https + "http: {hstsSeconds: 0}\n")
        #expect(off.faults.isEmpty && off.settings.map { $0.hstsSeconds == nil } == true)
    }

    @Test(arguments: ["", "session: {issuer: 'http://127.0.0.1'}\n", "session: {issuer: 'https://localhost'}\n"])
    func `a listener that https does not lead to says nothing of it, and is not told to`(session: String) {
        #expect(load(least + session).settings.map { $0.hstsSeconds == nil } == true)
        let faults = load(least + session + "http: {hstsSeconds: 60}\n").faults
        #expect(faults.map(\.key) == ["http.hstsSeconds"])
        #expect(faults.map(\.kind) == [.notAvailable])
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1"), ("10.0.0.1", "0.0.0.0"), ("localhost", "127.0.0.1"),
        ("::", "::1"),
    ])
    func `two listeners on one port are a fault`(host: String, adminHost: String) {
        let yaml = """
            http: {host: '\(host)', port: 9090}
            admin: {host: '\(adminHost)', port: 9090, token: 0123456789abcdef}
            session: {issuer: https://signin.example.com}

            """
        let faults = load(least + yaml).faults
        #expect(faults.map(\.kind) == [.conflict])
        #expect(faults.map(\.key) == ["admin.port"])
    }

    @Test(arguments: [("127.0.0.1", "127.0.0.2", 9090), ("127.0.0.1", "127.0.0.1", 0)])
    func `two listeners that can't meet are none`(host: String, adminHost: String, port: Int) {
        let yaml = "http: {host: \(host), port: \(port)}\nadmin: {host: \(adminHost), port: \(port)}\n"
        #expect(load(least + yaml).faults.isEmpty)
    }

    @Test(arguments: ["0.0.0.0", "10.0.0.1", "::", "admin.example.com"])
    func `an admin listener that others can reach needs a token`(host: String) {
        let faults = load(least + "admin: {host: '\(host)'}\n").faults
        #expect(faults.map(\.kind) == [.missing])
        #expect(faults.map(\.key) == ["admin.token"])
        #expect(load(least + "admin: {host: '\(host)', token: 0123456789abcdef}\n").faults.isEmpty)
    }

    @Test(arguments: ["127.0.0.1", "127.9.9.9", "::1", "localhost", "LOCALHOST"])
    func `an admin listener on loopback needs none`(host: String) {
        #expect(load(least + "admin: {host: '\(host)', port: 0}\n").settings?.admin.token == nil)
        #expect(load(least + "admin: {host: '\(host)', port: 0}\n").faults.isEmpty)
    }
}
