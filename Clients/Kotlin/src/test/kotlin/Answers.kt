import gatehouse.client.*
import gatehouse.client.ClientException.Kind
import java.util.Base64

/** What the service says, played by a script. */
fun answers() {
    val base64 = Base64.getUrlEncoder().withoutPadding()
    fun jwt(user: Int) = "e30.${base64.encodeToString("""{"sub":"$user"}""".toByteArray())}.x"
    fun tokens(user: Int) = """"access_token":"${jwt(user)}","refresh_token":"r","expires_in":900"""
    fun answer(status: Int, body: String, headers: Map<String, String> = emptyMap()) =
        Answer(status, headers, body.toByteArray())
    /** It answers in this order, and then as if all were well. */
    fun script(vararg answers: Answer) = Script { count -> answers.getOrNull(count - 1) ?: answer(200, "{}") }
    val posted = SignInRequest.code("c", "v", null)
    val browser = BrowserCode("c", "v", null, "shop")

    check("an answer to a sign-in tells what else there is to know") {
        val signedIn = script(
            answer(
                200,
                """{${tokens(7)},"user":{"user_id":7},"new_user":true,"migrated":false,"merge_offered":true,
                "declined_scopes":["email","phone"]}""")).session.signIn(posted)
        expect(signedIn.isNewUser && !signedIn.hasMigrated && signedIn.isMergeOffered)
        equal(signedIn.declinedScopes, listOf("email", "phone"))
    }
    check("an answer to a sign-in that names another user than its token is given up") {
        val script = script(answer(200, """{${tokens(8)},"user":{"user_id":7}}"""))
        refused(Kind.ANOTHER_USER) { script.session.signIn(posted) }
        expect("/auth/revoke" in script.sent.last()) { "${script.sent}" }
    }
    check("an answer with somebody else's receipt is given up") {
        val script = script(answer(200, """{${tokens(7)},"receipt":"${jwt(9)}"}"""))
        refused(Kind.ANOTHER_USER) { script.session.signIn(browser) }
        expect("/auth/revoke" in script.sent.last() && "client_id=shop" in script.sent.last()) { "${script.sent}" }
        val approving = script(answer(200, """{${tokens(7)},"user":{"user_id":7}}"""), answer(200, "{}"),
            answer(200, """{"receipt":"${jwt(9)}"}"""))
        approving.session.signIn(posted)
        refused(Kind.ANOTHER_USER) { approving.session.approve("Pay", posted) }
    }
    check("an answer to an app's code that brings a ticket is somebody unknown, whatever its status") {
        for (status in listOf(400, 403)) {
            val script = script(
                answer(
                    status,
                    """{"error":"unlinked_user","error_code":"unlinked_user","link_ticket":"plain.t","expires":600,
                    "zenkey_attributes":{"sub":"plain.t","name":{"value":"Ada L.","given_name":"Ada"},
                    "phone":{"value":"+1"},"address":{"value":{"locality":"London","lat":1}},"claims":{"a":[1]}}}"""))
            val error = runCatching { script.session.signIn(browser) }.exceptionOrNull()
            val said = (error as? UnlinkedUserException)?.user?.attributes ?: throw AssertionError("$error")
            equal(listOf(said.name, said.givenName, said.phoneNumber, said.email), listOf("Ada L.", "Ada", "+1", null))
            equal(said.address, mapOf("locality" to "London"))
        }
        refused(Kind.REFUSED) {
            script(answer(403, """{"error_code":"unlinked_user","expires":600}""")).session.signIn(posted)
        }
    }
    check("a page to choose a carrier on is named only where it may be opened") {
        val pages = mapOf(
            "https://a.example/ui?a=b" to "https://a.example/ui?a=b&client_id=c&redirect_uri=r&state=s&prompt=true",
            "javascript:alert(1)" to null, "http://a.example" to null)
        for ((page, wanted) in pages) {
            val script = script(answer(400, """{"error_code":"provider_not_found","discovery_ui":"$page"}"""))
            val error = runCatching { script.session.signIn(posted) }.exceptionOrNull()
            expect(error is ProviderNotFoundException) { "$error" }
            equal((error as ProviderNotFoundException).discoveryUI?.address("c", "r", "s")?.toString(), wanted)
        }
    }
    check("an answer says how fresh, and at which level, the user must have authenticated") {
        val challenge = "Bearer error=\"insufficient_user_authentication\", error_description=\"within 60 seconds: " +
            "sign in again.\", max_age=\"60\", acr_values=\"a3 a2\""
        for (body in listOf("""{"error_code":"insufficient_user_authentication"}""", "")) {
            val refusal = answer(401, body, mapOf("www-authenticate" to challenge))
            val error = runCatching { script(refusal).session.signIn(posted) }.exceptionOrNull()
            expect(error is InsufficientUserAuthenticationException) { "$error" }
            equal((error as InsufficientUserAuthenticationException).maximumAge, 60)
            equal(error.acrValues, "a3 a2")
        }
    }
    check("a session stays where an identity that is to be linked is locked") {
        val script = script(
            answer(200, """{${tokens(7)},"user":{"user_id":7}}"""), answer(200, "{}"),
            answer(423, """{"error":"locked","error_code":"locked"}"""), answer(200, """{"user_id":7}"""))
        script.session.signIn(posted)
        refused(Kind.LOCKED) { script.session.link(posted) }
        equal(script.session.user().id, 7L)
        equal(script.store.load()?.userId, 7L)
    }
    check("an end of all sessions leaves one that has begun meanwhile") {
        val script = Script { count ->
            when {
                "/auth/signin" in sent.last() -> {
                    val user = if (count == 1) 7 else 8
                    answer(200, """{${tokens(user)},"user":{"user_id":$user}}""")
                }
                sent.last().startsWith("DELETE") -> {
                    session.signIn(posted)
                    answer(200, """{"revoked":3}""")
                }
                else -> answer(200, "{}")
            }
        }
        script.session.signIn(posted)
        equal(script.session.signOutEverywhere(), 3)
        equal(script.session.userId, 8L)
    }
    check("a list that does not say which session this one is ends none") {
        val listed =
            """{"session_id":"a","created_at":1,"expires_at":2,"provider":"p","client_id":"c","current":false}"""
        val script = script(
            answer(200, """{${tokens(7)},"user":{"user_id":7}}"""), answer(200, "{}"), answer(200, "[$listed,$listed]"))
        script.session.signIn(posted)
        refused(Kind.UNUSABLE_ANSWER) { script.session.endOtherSessions() }
        expect(script.sent.none { it.startsWith("DELETE") }) { "${script.sent}" }
    }
}
