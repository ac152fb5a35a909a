import Crypto
import HTTPClient
import JSON
import Providers
import Testing

@testable import Settings

@Suite struct `The way out to providers` {
    private func proxy(_ loaded: LoadedSettings) -> String? {
        #expect(loaded.faults == [])
        return loaded.settings?.providers.first?.outboundProxy.map { "\($0) \($0.exceptions)" }
    }

    @Test func `is direct unless a proxy is named, and then by that for all but exceptions`() {
        #expect(proxy(load(least)) == nil)
        let exceptions = "outboundProxyExceptions: [corp.example, '10.0.0.1:8443']"
        let http = "http: {outboundProxy: 'http://proxy.corp:3128', \(exceptions)}\n"
        #expect(proxy(load(least + http)) == "http://proxy.corp:3128 [corp.example, 10.0.0.1:8443]")
        #expect(proxy(load(http + leastWith("outboundProxy: direct"))) == nil)
        #expect(
            proxy(load(http + leastWith("outboundProxy: 'http://other:1'")))
                == "http://other:1 [corp.example, 10.0.0.1:8443]")
        let direct = load("http: {outboundProxy: direct}\n" + leastWith("outboundProxy: 'http://other:1'"))
        #expect(proxy(direct) == "http://other:1 []")
    }

    @Test func `is a secret, which a file may hold, and nothing shows`() {
        let secret = "http://user:hidden@proxy.corp:3128"
        for loaded in [
            load(least + "http: {outboundProxyFile: proxy}\n", files: ["proxy": secret + "\n"]),
            load(least, environment: ["GATEHOUSE_HTTP_OUTBOUND_PROXY": secret]),
        ] {
            #expect(proxy(loaded) == "http://proxy.corp:3128 []")
            #expect(loaded.effective.first { $0.key == "http.outboundProxy" }?.value == .string(Secret.redacted))
            #expect(!"\(loaded.effective)".contains("hidden"))
        }
        for wrong in ["https://user:hidden@proxy.corp:3128", "user:hidden@proxy", "http://user:hidden@proxy"] {
            let faults = load(least, environment: ["GATEHOUSE_HTTP_OUTBOUND_PROXY": wrong]).faults
            #expect(faults.map(\.key) == ["http.outboundProxy"])
            #expect(!faults.description.contains("hidden") && faults.description.contains("http://HOST:PORT"))
        }
    }

    @Test func `refuses patterns among the exceptions, by their places`() {
        let loaded = load(least + "http: {outboundProxyExceptions: [corp.example, '*.corp.example']}\n")
        #expect(loaded.faults.map(\.value) == ["*.corp.example"])
    }

    @Test func `says that the environment's proxies are not used, where nobody has decided`() {
        for name in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"] {
            let variables = [name: "http://user:hidden@proxy:1", "NO_PROXY": "*"]
            let loaded = load(least, environment: variables)
            #expect(proxy(loaded) == nil)
            #expect(loaded.notices.map(\.key) == [name])
            #expect(!loaded.notices.description.contains("hidden"))
            #expect(load(least + "http: {outboundProxy: direct}\n", environment: variables).notices.isEmpty)
        }
    }
}
