// An OAuth client that can keep no secret: authorization code with PKCE (RFC 7636), as any library does it. Gatehouse
// is its authorization server. Tokens are kept in sessionStorage, which is this tab's alone and ends with it.

import { Failure, call, navigation } from "./wire.js";

const scope = "openid profile email phone";

function base64url(bytes) {
    return btoa(String.fromCharCode(...new Uint8Array(bytes)))
        .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function bytesOf(base64) {
    return Uint8Array.from(atob(base64.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
}

const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

export async function sha256(text) {
    return base64url(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

const read = (name) => JSON.parse(sessionStorage.getItem(name));
const write = (name, value) => sessionStorage.setItem(name, JSON.stringify(value));

export const tokens = () => read("tokens");
export const forget = () => sessionStorage.removeItem("tokens");

// The parts of a JWT, as text that anybody can read. Whether to believe it is another question.
export function decode(token) {
    const [header, payload] = token.split(".").map((part) => {
        try {
            return JSON.parse(new TextDecoder().decode(bytesOf(part)));
        } catch {
            return {};
        }
    });
    return { header, payload };
}

// RFC 8414: where the endpoints are. A document that is another issuer's is not used.
export async function metadata(settings) {
    const known = read("metadata");
    if (known?.issuer === settings.gatehouse) return known;
    const found = await call("Gatehouse", "GET", `${settings.gatehouse}/.well-known/openid-configuration`);
    if (found.issuer !== settings.gatehouse) throw new Failure("wrong_issuer");
    write("metadata", found);
    return found;
}

async function begin(kind, to, endpoint, parameters, more = {}) {
    const pending = { kind, state: random(), nonce: random(), verifier: random(), ...more };
    write("pending", pending);
    const url = new URL(endpoint);
    const all = {
        response_type: "code", ...parameters, state: pending.state, nonce: pending.nonce,
        code_challenge: await sha256(pending.verifier), code_challenge_method: "S256",
    };
    for (const [name, value] of Object.entries(all)) if (value) url.searchParams.set(name, value);
    navigation(to, url);
    location.assign(url);
}

// Sends the browser to Gatehouse. Without a provider it is Gatehouse that asks the person for one.
export async function signIn(settings, wishes = {}) {
    const { authorization_endpoint: endpoint } = await metadata(settings);
    await begin("sign-in", "Gatehouse", endpoint, {
        client_id: settings.client_id, redirect_uri: `${location.origin}/app/callback`, scope, ...wishes,
    });
}

// Sends the browser to the carrier itself, which is to show the person that very text and ask for a PIN or a
// fingerprint.
export async function askForApproval(settings, carrier, context, subscriber) {
    const query = new URLSearchParams({ client_id: carrier.client_id, mccmnc: carrier.mccmnc });
    const { authorization_endpoint: endpoint } = await call("Carrier discovery", "GET", `${settings.discovery}?${query}`);
    await begin("approval", carrier.name, endpoint, {
        client_id: carrier.client_id, redirect_uri: `${location.origin}/app/approved`, scope: "openid",
        context, acr_values: "a3", login_hint: subscriber,
    }, { context, mccmnc: carrier.mccmnc, client: carrier.client_id });
}

// Sends the browser to another provider, which is to say who the person is there.
export async function askForIdentity(provider) {
    await begin("link", provider.name, provider.authorization_endpoint, {
        client_id: provider.client_id, redirect_uri: `${location.origin}/app/linked`, scope: "openid profile email",
    }, { provider: provider.id });
}

// With that provider's code: from now on it signs the same user in.
export async function link(settings, pending) {
    return call("Gatehouse", "POST", `${settings.gatehouse}/users/me/identities`, {
        token: await accessToken(settings),
        form: {
            provider: pending.provider, code: pending.code, redirect_uri: `${location.origin}/app/linked`,
            code_verifier: pending.verifier, nonce: pending.nonce,
        },
    });
}

// What came back with the browser: the code, and what this tab remembers of the request. Used once.
export function answer(kind, settings) {
    const parameters = new URLSearchParams(location.search);
    navigation("App", location.href);
    // The code is taken out of the address, so that nobody copies it.
    history.replaceState(null, "", "/app/");
    const pending = read("pending");
    sessionStorage.removeItem("pending");
    if (pending?.kind !== kind || pending.state !== parameters.get("state")) throw new Failure("wrong_state");
    if (kind === "sign-in" && parameters.get("iss") !== settings.gatehouse) throw new Failure("wrong_issuer");
    if (parameters.has("error")) throw new Failure(parameters.get("error"), parameters.get("error_description"));
    return { ...pending, code: parameters.get("code") };
}

export async function redeem(settings, pending) {
    const { token_endpoint: endpoint } = await metadata(settings);
    const answer = await call("Gatehouse", "POST", endpoint, { form: {
        grant_type: "authorization_code", client_id: settings.client_id, code: pending.code,
        redirect_uri: `${location.origin}/app/callback`, code_verifier: pending.verifier,
    } });
    // It came from Gatehouse itself, not by way of the browser (OpenID Connect Core §3.1.3.7, 6), so the claims are
    // enough.
    const { payload } = decode(answer.id_token);
    if (payload.iss !== settings.gatehouse || payload.aud !== settings.client_id) throw new Failure("wrong_issuer");
    if (payload.nonce !== pending.nonce) throw new Failure("wrong_nonce");
    return keep(answer);
}

function keep(answer) {
    const { access_token, refresh_token, id_token, expires_in } = answer;
    const kept = { access_token, refresh_token, id_token, ends: Date.now() + expires_in * 1000 };
    write("tokens", kept);
    return kept;
}

// An access token with at least half a minute left. A refresh token that is refused means that the session has ended.
export async function accessToken(settings) {
    const known = tokens();
    if (!known) throw new Failure("invalid_token");
    return known.ends - Date.now() > 30_000 ? known.access_token : (await refresh(settings, known)).access_token;
}

// Tokens for a refresh token; the ID token is the former one where no other comes.
export async function refresh(settings, known) {
    const { token_endpoint: endpoint } = await metadata(settings);
    const form = { grant_type: "refresh_token", client_id: settings.client_id, refresh_token: known.refresh_token };
    try {
        const answer = await call("Gatehouse", "POST", endpoint, { form });
        return keep({ ...answer, id_token: answer.id_token ?? known.id_token });
    } catch (failure) {
        throw failure.code === "invalid_grant" ? new Failure("invalid_token") : failure;
    }
}

// Gatehouse verifies what the carrier says of the approval, and makes a receipt of it.
export async function receipt(settings, pending) {
    const answer = await call("Gatehouse", "POST", `${settings.gatehouse}/auth/transaction`, {
        token: await accessToken(settings),
        form: {
            client_id: pending.client, code: pending.code, redirect_uri: `${location.origin}/app/approved`,
            mccmnc: pending.mccmnc, code_verifier: pending.verifier, nonce: pending.nonce, context: pending.context,
        },
    });
    return { ...decode(answer.receipt), context: pending.context, isSigned: await isSigned(settings, answer.receipt) };
}

// Whether one of Gatehouse's published keys has signed it (RFC 7515, ES256), which the recipient of a receipt should
// check.
async function isSigned(settings, token) {
    const { jwks_uri: address } = await metadata(settings);
    const { keys } = await call("Gatehouse", "GET", address);
    const [header, payload, signature] = token.split(".");
    const key = keys.find((one) => one.kid === decode(token).header.kid);
    if (!key) return false;
    const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
    const imported = await crypto.subtle.importKey("jwk", { ...key, use: undefined, key_ops: ["verify"] }, algorithm, false, ["verify"]);
    return crypto.subtle.verify(algorithm, imported, bytesOf(signature), new TextEncoder().encode(`${header}.${payload}`));
}

export async function signOut(settings) {
    const { end_session_endpoint: endpoint } = await metadata(settings);
    const pending = { kind: "sign-out", state: random() };
    const url = new URL(endpoint);
    url.searchParams.set("id_token_hint", tokens().id_token);
    url.searchParams.set("client_id", settings.client_id);
    url.searchParams.set("post_logout_redirect_uri", `${location.origin}/app/`);
    url.searchParams.set("state", pending.state);
    navigation("Gatehouse", url);
    write("pending", pending);
    forget();
    location.assign(url);
}
