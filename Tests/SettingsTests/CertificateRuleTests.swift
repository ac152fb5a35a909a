import Testing

@testable import Settings

@Suite struct `Rules for certificates` {
    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBqDCCAU+gAwIBAgIUSdBo7PTsywmFeaNoV2F+X6ru7zUwCgYIKoZIzj0EAwIw
        FTETMBEGA1UEAwwKaWQuZXhhbXBsZTAgFw0yNjExMjgwOTI1MDlaGA8yMTI2MTEw
        NDA5MjUwOVowFTETMBEGA1UEAwwKaWQuZXhhbXBsZTBZMBMGByqGSM49AgEGCCqG
        SM49AwEHA0IABG24IW8w7+GRCJoTvAHUWPU8ZMc2M/PM+Fa9au4kaCdQNFTapW77
        ncv2pRcFMUHM17Z6SbxZT0sDSiY9NwaGHcSjezB5MB0GA1UdDgQWBBRXnBnemmXA
        Egef6Iu6meeXlw9HqDAfBgNVHSMEGDAWgBRXnBnemmXAEgef6Iu6meeXlw9HqDAP
        BgNVHRMBAf8EBTADAQH/MCYGA1UdEQQfMB2CCmlkLmV4YW1wbGWCDyoubG9naW4u
        ZXhhbXBsZTAKBggqhkjOPQQDAgNHADBEAiBHZNLYWTHkgxu1wVOD2LMNypSMIiAX
        0qj4i9onX+2ObAIgBGkGdvl6QRt9EV4gWw4X5hRyRzRwAgV4pill7P2Enzc=
        -----END CERTIFICATE-----

        """
    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgftWwiX6NpZ8uCIlv
        HZmaIwNLVjrVbka1Lv2tirMsJIihRANCAARtuCFvMO/hkQiaE7wB1Fj1PGTHNjPz
        zPhWvWruJGgnUDRU2qVu+53L9qUXBTFBzNe2ekm8WU9LA0omPTcGhh3E
        -----END PRIVATE KEY-----

        """
    private static let otherKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgxBmoKCiTU1I+BQtZ
        G24vpeAtzYnkl1uB+tYgjZEZ0NehRANCAATvtBNN6n9R+ln/xgvauCm6BO2k/vHu
        eMS/hDGIXx8mXXVMPDxIB1MU9q53z4GCV00dW6JLmUTj+B8GpfpMUUMr
        -----END PRIVATE KEY-----

        """
    private static let files = ["cert.pem": certificate, "key.pem": key, "other.pem": otherKey, "none.pem": "nothing"]

    private func loaded(_ lines: String) -> LoadedSettings { load(least + lines + "\n", files: Self.files) }

    @Test func `are served in the order in which they stand, the short form first`() throws {
        let settings = try #require(
            loaded(
                """
                http:
                  tlsCertificateFile: cert.pem
                  tlsKeyFile: key.pem
                  tls: {certificates: [{keyFile: key.pem, certificateFile: cert.pem}], redirectPort: 80, acmeFolder: acme}
                """
            ).settings)
        #expect(settings.http.certificates.count == 2)
        #expect(settings.http.scheme == "https")
        #expect(settings.http.redirectPort == 80)
        #expect(settings.http.acmeFolder == "acme")
        #expect(try #require(load(least).settings).http.scheme == "http")
    }

    @Test(arguments: [
        ("http: {tlsCertificateFile: cert.pem}", "http.tlsKeyFile", "the private key of"),
        ("http: {tlsKeyFile: key.pem}", "http.tlsCertificateFile", "the certificate of"),
        (
            "http: {tlsCertificateFile: cert.pem, tlsKeyFile: other.pem}", "http.tlsCertificateFile",
            "not the certificate's"
        ),
        (
            "http: {tlsCertificateFile: none.pem, tlsKeyFile: key.pem}", "http.tlsCertificateFile",
            "no certificate in PEM"
        ),
        ("http: {tlsCertificateFile: cert.pem, tlsKeyFile: none.pem}", "http.tlsCertificateFile", "no private key"),
        ("http: {tlsCertificateFile: gone.pem, tlsKeyFile: key.pem}", "http.tlsCertificateFile", "a file that exists"),
        (
            "http: {tls: {certificates: [{certificateFile: cert.pem}]}}", "http.tls.certificates",
            "{certificateFile: …, keyFile: …}"
        ),
        ("http: {tls: {redirectPort: 80}}", "http.tls.certificates", "sends clients to https"),
        (
            "http: {tlsCertificateFile: cert.pem, tlsKeyFile: key.pem, tls: {acmeFolder: acme}}",
            "http.tls.redirectPort", "port 80"
        ),
        ("admin: {tls: {clientCAFile: cert.pem}}", "admin.tls.certificates", "is for https"),
        (
            "admin: {tokens: {anna: {certificateSHA256: '\(String(repeating: "ab", count: 32))', roles: [auditor]}}}",
            "admin.tls.clientCAFile", "has issued the certificate of anna"
        ),
        (
            "admin: {tokens: {anna: {certificateSHA256: abc, roles: [auditor]}}}",
            "admin.tokens.anna.certificateSHA256",
            "64 hexadecimal digits"
        ),
    ])
    func `say what is missing, or does not belong together`(yaml: String, key: String, expected: String) {
        let faults = loaded(yaml).faults
        #expect(faults.contains { $0.key == key && "\($0)".contains(expected) }, "\(faults)")
        #expect(!"\(faults)".contains("PRIVATE KEY"))
    }

    @Test func `let an operator come by certificate, without a token`() throws {
        let settings = try #require(
            loaded(
                """
                admin:
                  tls: {certificates: [{certificateFile: cert.pem, keyFile: key.pem}], clientCAFile: cert.pem}
                  tokens: {anna: {certificateSHA256: '\(String(repeating: "AB:", count: 31))AB', roles: [auditor]}}
                """
            ).settings)
        let anna = try #require(settings.admin.operators.first)
        #expect(anna.token == nil)
        #expect(anna.certificate == [UInt8](repeating: 0xAB, count: 32))
    }
}
