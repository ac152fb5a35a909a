// What this app tells a person: failures with what to do about them, and what each request is for.

const failures = {
    access_denied: () => ["You said no", "Nothing was done. Begin again whenever you want to."],
    user_not_found: () => ["This carrier does not serve that number",
        "It has moved to another one. Begin again, and choose the carrier that has it now."],
    authentication_timed_out: () => ["That took too long", "The carrier has stopped waiting. Begin again."],
    interaction_required: () => ["A choice is missing", "Begin again, and choose who signs you in."],
    login_required: () => ["The carrier wants to see you", "Begin again, and sign in on its page."],
    temporarily_unavailable: () => ["The carrier has a problem", "Wait a little, then begin again."],
    provider_unavailable: () => ["The carrier can't be reached", "Wait a little, then begin again."],
    provider_timeout: () => ["The carrier did not answer in time", "Begin again."],
    provider_error: () => ["The carrier's answer can't be used", "Begin again; if it stays, look into Gatehouse's log."],
    invalid_grant: () => ["This sign-in can't be finished", "Its code was used, or is too old. Sign in again."],
    invalid_token: () => ["Your session has ended", "It was ended here or elsewhere, or ran out. Sign in again."],
    invalid_id_token: () => ["That was not you", "Somebody else has signed in at the carrier, or the answer belongs to"
        + " another request. Begin again, as the person who is signed in here."],
    insufficient_user_authentication: () => ["You signed in a while ago", "This takes a fresh sign-in. Sign in again."],
    rate_limited: (failure) => ["Too much at once", `Wait ${duration(failure.seconds)}, then begin again.`],
    identity_too_new: (failure) => ["Not yet: your number has only just moved",
        "Somebody who takes over another's number looks just like you now. So after a move you may sign in at once, but"
        + ` for a while not approve, link or unlink anything. Try again in ${duration(failure.seconds)}.`],
    identity_in_use: () => ["Somebody else has that", "It signs another user in already. Choose another person there."],
    bad_password: () => ["That is not the PIN", "After three wrong ones in a row nobody opens this any more."],
    key_locked: () => ["Three wrong PINs: the key is gone", "What was encrypted with it stays closed for ever. Sign in again."],
    key_missing: () => ["The key is gone", "What was encrypted with it stays closed for ever. Sign in again."],
    no_mail: () => ["No mail has come", "The directory has none for that name, or too many were asked for. Try again later."],
    last_identity: () => ["That is your only way in", "Link another one first."],
    unreachable: (failure) => [`Nobody answers at ${failure.where}`, "Is it running? scripts/run starts it."],
    wrong_state: () => ["That answer was not asked for",
        "It belongs to no request of this tab, or was used before, so it is left alone. Begin again."],
    wrong_issuer: () => ["That answer is from somebody else", "It does not name our Gatehouse, so it is left alone."],
    wrong_nonce: () => ["That ID token is for another request", "It is left alone. Sign in again."],
    no_number: () => ["Your number is not known here", "You did not let the carrier tell it. Sign in again with it."],
};

export function duration(seconds) {
    if (seconds >= 5400) return `${Math.ceil(seconds / 3600)} hours`;
    if (seconds >= 90) return `${Math.ceil(seconds / 60)} minutes`;
    return seconds > 0 ? `${seconds} seconds` : "a moment";
}

// A title and a sentence; for what nobody has words for what was said, and under which number it is in the log.
export function explain(failure) {
    const words = failures[failure.code]?.(failure);
    if (words) return words;
    const request = failure.request ? ` Gatehouse's log has it as ${failure.request}.` : "";
    return ["That did not work", `${failure.message} Begin again.${request}`];
}

const purposes = {
    "gatehouse discovery": "Gatehouse asks which carrier serves the mobile network, and where its endpoints are.",
    "gatehouse configuration": "Gatehouse reads where the provider's endpoints are. It remembers that for a while.",
    "gatehouse keys": "Gatehouse fetches the keys that ID tokens are signed with. It remembers them, too.",
    "gatehouse token": "Gatehouse exchanges the code, with its client secret and the PKCE verifier of the request.",
    "gatehouse userinfo": "Gatehouse fetches what you let it know, with the carrier's access token.",
    "browser authorize": "Your browser arrives at the carrier, which asks you. This is what the request says.",
    "/auth/authorize": "The app sends your browser to Gatehouse. Only the hash of the PKCE verifier goes along.",
    "/app/callback": "Your browser is back with a code of Gatehouse's. It is worth nothing without the verifier.",
    "/app/linked": "Your browser is back with a code of the other provider's. The app hands it to Gatehouse.",
    "/app/approved": "Your browser is back with a code of the carrier's. The app hands it to Gatehouse.",
    "/auth/token": "The app redeems a code with the verifier, or a refresh token. It has no secret, and needs none.",
    "/auth/userinfo": "The app asks who you are.",
    "/keyservice/v1/createkey": "Gatehouse makes a key for this PIN. The app encrypts its refresh token, and forgets both.",
    "/keyservice/v1/key": "Gatehouse gives the key for the right PIN, and counts wrong ones.",
    "/users/signup": "Gatehouse notes the wish, and answers the same whether that address is known or not.",
    "gatehouse directory_users": "Gatehouse, which has a user for that address by now, has the directory make an account and send a mail.",
    "gatehouse directory_recovery": "Gatehouse has the directory send a mail for the account that is there.",
    "/auth/transaction": "Gatehouse redeems the code, holds the carrier's ID token to this very text, and makes a receipt.",
    "/users/me/identities": "The app asks at which providers you are known.",
    "/users/me/sessions": "The app asks where you are signed in.",
    "/auth/logout": "The app has Gatehouse end the session, and send your browser back.",
    "/.well-known/jwks.json": "The app fetches Gatehouse's public keys, to verify the receipt.",
    "/.well-known/openid-configuration": "The app reads where Gatehouse's endpoints are.",
    "/.well-known/openid_configuration": "The app asks the carriers' discovery for the endpoints of your carrier.",
};

export function purpose(entry) {
    const path = entry.path.replace(/^(\/users\/me\/sessions)\/.*/, "$1");
    if (path === "/authorize" && !entry.endpoint) return purposes["browser authorize"];
    if (entry.endpoint) return purposes[`${entry.from} ${entry.endpoint}`];
    if (entry.method === "DELETE") {
        return path.startsWith("/users/me/sessions") ? "The app ends that session, wherever it is."
            : "The app takes that identity away: it signs nobody in any more.";
    }
    if (entry.method === "POST" && path === "/users/me/identities") {
        return "The app hands the code to Gatehouse, which redeems it: from now on that provider signs you in, too.";
    }
    if (path.startsWith("/subscribers/")) return "The simulation moves your number. In real life you do that in a shop.";
    return purposes[path];
}
