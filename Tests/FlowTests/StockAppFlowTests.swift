import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

/// The sample apps of ZenKey's SDKs as they are: what they send, by which headers, and what they decode.
@Suite struct `ZenKey's sample apps, unchanged` {
    private static let keys = """
        apiKeys: [{key: key-of-ios, responses: zenkey-ios}, {key: key-of-android, responses: zenkey-android}, key-of-web]
        """
    private static let iOS = [
        "Accept": "application/json", "Content-Type": "application/json", "X-API-KEY": "key-of-ios",
    ]
    private static let android = ["X-API-KEY": "key-of-android", "Content-Type": "application/json; charset=UTF-8"]

    private static func with(_ more: String = "", _ body: (RunningGatehouse) async throws -> Void) async throws {
        try await RunningGatehouse.with(top: Self.keys + "\n" + more, body)
    }

    private func call(
        _ gatehouse: RunningGatehouse, _ method: String, _ path: String, _ headers: [String: String],
        bearer: String? = nil, _ body: JSONValue? = nil
    ) async throws -> HTTPTestAnswer {
        var headers = headers
        if let bearer { headers["Authorization"] = "Bearer " + bearer }
        return try await LoopbackClient(port: gatehouse.port).send(
            method, path, headers: headers, body: body?.serialized)
    }

    /// What Retrofit sends of `@FormUrlEncoded`.
    private func form(
        _ gatehouse: RunningGatehouse, _ path: String, _ fields: [String: String]
    ) async throws -> HTTPTestAnswer {
        try await LoopbackClient(port: gatehouse.port).send(
            "POST", path,
            headers: ["X-API-KEY": "key-of-android", "Content-Type": "application/x-www-form-urlencoded"],
            body: Array(FormText.encode(fields).utf8))
    }

    @Test func `sign in, show their user and sign out on iOS`() async throws {
        try await Self.with { gatehouse in
            let authorized = try await gatehouse.authorize("ada", ["nonce": "n-1"])
            let answer = try await call(
                gatehouse, "POST", "/auth/zenkey-signin", Self.iOS,
                authorized.body(["nonce": "n-1", "correlation_id": "0F5BD1D4-77A6-4A41-9D04-2D4A60E4B4C7"]))
            let signedIn = try StockApps.ZenKeyIOS.decode(StockApps.ZenKeyIOS.SignIn.self, answer)
            #expect(answer.status == 200 && signedIn.expires > 0)
            let shown = try await call(gatehouse, "GET", "/users/me", Self.iOS, bearer: signedIn.token)
            let user = try StockApps.ZenKeyIOS.decode(StockApps.ZenKeyIOS.User.self, shown)
            #expect(user.name == "Ada Lovelace" && user.email == "ada@example.com" && user.postalCode == "90210")
            #expect(user.phoneNumber == "+13105550101" && user.userId > 0 && user.username != nil)
            let out = try await call(gatehouse, "DELETE", "/auth/token", Self.iOS, bearer: signedIn.token)
            #expect(out.status == 200, "\(out.text)")
            let over = try await call(gatehouse, "GET", "/users/me", Self.iOS, bearer: signedIn.token)
            #expect(over.status == 401)
            _ = try StockApps.ZenKeyIOS.decode(StockApps.ZenKeyIOS.Failure.self, over)
        }
    }

    @Test func `read somebody unknown on iOS, where nothing but texts is decoded`() async throws {
        try await Self.with("registration: ticket") { gatehouse in
            let answer = try await call(
                gatehouse, "POST", "/auth/zenkey-signin", Self.iOS, try await gatehouse.authorize("ada").body())
            #expect(answer.status == 403)
            let unlinked = try StockApps.ZenKeyIOS.decode(StockApps.ZenKeyIOS.Unlinked.self, answer)
            #expect(unlinked.error == "unlinked_user" && unlinked.zenkeyAttributes.name == "Ada Lovelace")
            #expect(unlinked.zenkeyAttributes.email == "ada@example.com")
            #expect(unlinked.zenkeyAttributes.phoneNumber == "+13105550101")
            #expect(unlinked.zenkeyAttributes.postalCode == "90210")
            let registered = try await call(
                gatehouse, "POST", "/users", Self.iOS,
                ["zenkey_sub": .string(unlinked.zenkeyAttributes.sub), "username": "ada"])
            #expect(registered.status == 201, "\(registered.text)")
            _ = try StockApps.ZenKeyIOS.decode(StockApps.ZenKeyIOS.SignIn.self, registered)
        }
    }

    /// The sample for the web reads objects, and so an app with no shape of its own gets them.
    @Test func `read somebody unknown on the web by objects`() async throws {
        try await Self.with("registration: ticket") { gatehouse in
            let answer = try await call(
                gatehouse, "POST", "/auth/zenkey-signin",
                ["X-API-KEY": "key-of-web", "Content-Type": "application/json"],
                try await gatehouse.authorize("ada").body())
            let attributes = try #require(answer["zenkey_attributes"])
            #expect(attributes["name"]?["value"] == "Ada Lovelace" && attributes["phone"]?["value"]?.string != nil)
            #expect(attributes["email"]?["value"] == "ada@example.com")
            #expect(attributes["postal_code"]?["value"] == "90210")
        }
    }

    @Test func `tell on iOS why a sign-in was refused`() async throws {
        try await Self.with { gatehouse in
            let authorized = try await gatehouse.authorize("ada")
            let refused: [(JSONValue, [String: String], Int)] = [
                (authorized.body(["code_verifier": .string(Authorized.makeVerifier())]), Self.iOS, 401),
                (authorized.body(["client_id": "ccid-fedcba9876543210"]), Self.iOS, 400),
                (authorized.body(), Self.iOS.merging(["X-API-KEY": "another"]) { $1 }, 401),
            ]
            for (body, headers, status) in refused {
                let answer = try await call(gatehouse, "POST", "/auth/zenkey-signin", headers, body)
                #expect(answer.status == status, "\(answer.text)")
                _ = try StockApps.ZenKeyIOS.decode(StockApps.ZenKeyIOS.Failure.self, answer)
            }
        }
    }

    @Test func `register, sign in, refresh and show their user on Android`() async throws {
        try await Self.with("registration: ticket") { gatehouse in
            let unknown = try await call(
                gatehouse, "POST", "/auth/zenkey-signin", Self.android, try await gatehouse.authorize("ada").body())
            let failure = try StockApps.ZenKeyAndroid.decode(StockApps.ZenKeyAndroid.Failure.self, unknown)
            #expect(failure.error == "unlinked_user")
            // The app has no form for it; its client has the call.
            let registered = try await form(
                gatehouse, "/users",
                [
                    "username": "ada", "password": "ignored", "name": "Ada", "phone_number": "+13105550101",
                    "postal_code": "90210", "email": "ada@example.com",
                    "zenkey_sub": try #require(unknown["zenkey_attributes"]?["sub"]?.string),
                ])
            #expect(registered.status == 201, "\(registered.text)")
            _ = try StockApps.ZenKeyAndroid.decode(StockApps.ZenKeyAndroid.Tokens.self, registered)

            let answer = try await call(
                gatehouse, "POST", "/auth/zenkey-signin", Self.android, try await gatehouse.authorize("ada").body())
            let tokens = try StockApps.ZenKeyAndroid.decode(StockApps.ZenKeyAndroid.Tokens.self, answer)
            let refreshed = try await form(
                gatehouse, "/auth/token", ["grant_type": "refresh_token", "refresh_token": tokens.refresh_token])
            let newer = try StockApps.ZenKeyAndroid.decode(StockApps.ZenKeyAndroid.Tokens.self, refreshed)

            let shown = try await call(gatehouse, "GET", "/users/me", Self.android, bearer: newer.token)
            let user = try StockApps.ZenKeyAndroid.decode(StockApps.ZenKeyAndroid.User.self, shown)
            #expect(user.name?.value == "Ada Lovelace" || user.name?.value == "Ada", "\(shown.text)")
            #expect(user.email?.value == "ada@example.com" && user.email?.verified == 1)
            #expect(user.phone_number?.value == "+13105550101" && user.postal_code?.value == "90210")
            #expect(user.username == "ada" && user.user_id != nil && user.zenkey_sub != nil)
            // Signing out names no token: it ends no session, and the app forgets its own.
            let out = try await call(gatehouse, "DELETE", "/auth/token", Self.android)
            #expect(out.status == 200)
        }
    }

    /// What the SDK of 2019 posts: country and network apart, and neither a verifier nor a nonce.
    @Test func `of 2019 sign in where the section lets them, and nowhere else`() async throws {
        let (client, redirectURI) = ("ccid-2019201920192019", "ccid-2019201920192019://com.xci.provider.sdk")
        let body: (Authorized) -> JSONValue = { authorized in
            authorized.body([
                "client_id": .string(client), "redirect_uri": .string(redirectURI), "code_verifier": nil, "mccmnc": nil,
                "mcc": (authorized.mccmnc?.prefix(3)).map { .string(String($0)) },
                "mnc": (authorized.mccmnc?.dropFirst(3)).map { .string(String($0)) },
            ])
        }
        func authorize(_ gatehouse: RunningGatehouse) async throws -> Authorized {
            try await gatehouse.authorize(
                "ada",
                [
                    "client_id": client, "redirect_uri": redirectURI, "code_challenge": "", "code_challenge_method": "",
                ])
        }
        let section = ["clientID: \(client)", "redirectURIs: ['\(redirectURI)']"]
        try await RunningGatehouse.with(
            top: Self.keys, zenkey: section + ["requirePKCE: false", "codeNonce: optional"]
        ) { gatehouse in
            let answer = try await call(
                gatehouse, "POST", "/auth/zenkey-signin", Self.iOS, body(try await authorize(gatehouse)))
            #expect(answer.status == 200, "\(answer.text)")
            _ = try StockApps.ZenKeyIOS.decode(StockApps.ZenKeyIOS.SignIn.self, answer)
        }
        try await RunningGatehouse.with(top: Self.keys, zenkey: section) { gatehouse in
            let answer = try await call(
                gatehouse, "POST", "/auth/zenkey-signin", Self.iOS, body(try await authorize(gatehouse)))
            #expect(answer.status == 400 && answer.text.contains("code_verifier"), "\(answer.text)")
            _ = try StockApps.ZenKeyIOS.decode(StockApps.ZenKeyIOS.Failure.self, answer)
        }
    }

    /// What the sample backend asks for: no `context`, and a subject as a hint.
    @Test func `have a subject asked on the phone by the minimal request`() async throws {
        try await PushFlow.with(zenkey: ["serverInitiated: minimal"]) { flow in
            let carrier = SimulatedIssuer.aurora
            let subject = flow.gatehouse.simulation.subject(of: "ada", for: RunningGatehouse.clientID, at: carrier)
            let id = try await flow.begun([
                "context": nil, "login_hint": .string(subject), "scope": "openid profile email",
                "redirect_uri": .string(RunningGatehouse.redirectURI), "correlation_id": "0f5bd1d4",
            ])
            await #expect(try flow.answer() == [200])
            let answer = try await flow.ended(id)
            #expect(answer.status == 302 && answer["auth_req_id"] == .string(id), "\(answer.text)")
            _ = try StockApps.ZenKeyIOS.decode(StockApps.ZenKeyIOS.SignIn.self, answer)
        }
    }
}

/// The sample apps of Beyond Identity's SDKs, of each year.
@Suite struct `Beyond Identity's sample apps, unchanged` {
    private static let address = "jane@example.com"

    @Test func `of 2021 enrol by an address`() async throws {
        try await DirectoryFlow.with(.of2021) { flow in
            #expect(StockApps.Beyond.isDone(try await flow.post("/enroll", ["email": Self.address])))
            try await flow.deliver()
            #expect(try await flow.mails(to: Self.address).count == 1)
            #expect(!StockApps.Beyond.isDone(try await flow.post("/enroll", ["email": "jane"])))
        }
    }

    /// They send what the directory itself takes, with the address under every name.
    @Test func `with an embedded SDK register and recover by an address`() async throws {
        try await DirectoryFlow.with(.of2021) { flow in
            let registered = try await flow.post(
                "/users",
                [
                    "binding_token_delivery_method": "email", "external_id": Self.address, "email": Self.address,
                    "user_name": Self.address, "display_name": Self.address,
                ])
            #expect(StockApps.Beyond.isDone(registered), "\(registered.text)")
            try await flow.deliver()
            #expect(try await flow.mails(to: Self.address).count == 1)
            let recovered = try await flow.post(
                "/recover-user", ["binding_token_delivery_method": "email", "external_id": Self.address])
            #expect(StockApps.Beyond.isDone(recovered), "\(recovered.text)")
            try await flow.deliver()
            #expect(try await flow.mails(to: Self.address).count == 2)
            #expect(try await flow.accounts().count == 1)
        }
    }

    @Test func `of the present API bind by a link`() async throws {
        try await DirectoryFlow.with(.v1) { flow in
            let body = ["username": "jane", "authenticator_type": "native", "delivery_method": "return"]
            let answer = try await flow.post("/credential-binding-link", body)
            #expect(StockApps.Beyond.isDone(answer), "\(answer.text)")
            try await flow.bind(try StockApps.Beyond.link(answer))
            let signedIn = try await flow.signIn(try #require(try await flow.accounts().first?["id"]?.string))
            #expect(signedIn.status == 200, "\(signedIn.text)")
            // Recovery is by mail, for every app: this one says that there is no link, which is so.
            let recovered = try await flow.post("/recover-credential-binding-link", body)
            #expect(StockApps.Beyond.isDone(recovered))
            #expect(throws: DecodingError.self) { try StockApps.Beyond.link(recovered) }
        }
    }
}
