// What this app sends and gets, kept so that a person can look at it, and what the simulated carriers were asked
// meanwhile.

const kept = 120;
const cutAlways = new Set([
    "access_token", "refresh_token", "id_token", "id_token_hint", "token", "code", "code_verifier", "receipt",
    "code_challenge", "state", "nonce", "at_hash", "key", "longsecret", "keyid",
]);

// The log outlives a redirect to a carrier, and ends with the tab.
const log = JSON.parse(sessionStorage.getItem("wire") ?? '{"after":null,"steps":[],"entries":[]}');
const save = () => sessionStorage.setItem("wire", JSON.stringify(log));

export const steps = () => log.steps;
export const entries = () => log.entries;

export function clear() {
    Object.assign(log, { steps: [], entries: [] });
    save();
}

// What follows belongs to this step of the person's.
export function step(title) {
    log.steps.push({ title, time: Date.now() });
    save();
}

function cut(name, value) {
    // A PIN is so short that any part of it is too much.
    if (name === "secret") return "…";
    if (typeof value !== "string") return JSON.stringify(value);
    return cutAlways.has(name) && value.length > 10 ? `${value.slice(0, 8)}…` : value.slice(0, 200);
}

const pairs = (fields) => [...fields].map(([name, value]) => [name, cut(name, value)]);

function add(entry) {
    log.entries.push({ time: Date.now(), ...entry });
    log.entries = log.entries.slice(-kept);
    save();
    return log.entries.at(-1);
}

// A page that the browser is sent to, or comes back from.
export function navigation(to, address) {
    const url = new URL(address, location.href);
    add({ from: "browser", to, method: "GET", path: url.pathname, fields: pairs(url.searchParams) });
}

// What a request has come to when the answer is not what it was made for.
export class Failure extends Error {
    constructor(code, description, more = {}) {
        super(description ?? code);
        Object.assign(this, { code, description, ...more });
    }
}

// A request of this app's. Throws a Failure for an answer that is none, and when there is no answer.
export async function call(to, method, address, { form, json, token } = {}) {
    const url = new URL(address, location.href);
    const entry = add({
        from: "app", to, method, path: url.pathname, fields: pairs([...url.searchParams, ...Object.entries(form ?? json ?? {})]),
        authorization: token ? "Bearer …" : undefined,
    });
    let answer;
    try {
        answer = await fetch(url, {
            method, cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer",
            headers: {
                ...(token ? { Authorization: `Bearer ${token}` } : {}), ...(json ? { "Content-Type": "application/json" } : {}),
            },
            body: json ? JSON.stringify(json) : form ? new URLSearchParams(form) : undefined,
        });
    } catch {
        entry.status = "no answer";
        save();
        throw new Failure("unreachable", undefined, { where: url.origin });
    }
    entry.status = answer.status;
    const value = await answer.json().catch(() => null);
    if (value && !Array.isArray(value)) entry.answer = pairs(Object.entries(value));
    else if (value) entry.answer = value.map((one, index) => [`${index + 1}`, Object.values(one).join(", ")]);
    save();
    if (!answer.ok || value === null) {
        throw new Failure(value?.error ?? value?.error_code ?? "no_json", value?.error_description, {
            status: answer.status, request: value?.request_id, seconds: Number(answer.headers.get("Retry-After") ?? 0),
        });
    }
    return value;
}

// Fetches what the carriers were asked since the last time. The first time it only finds out where their log stands, so
// that what others did before is not shown.
export async function listen(providers) {
    const after = log.after ?? Number.MAX_SAFE_INTEGER;
    const answer = await fetch(`/app/requests?after=${after}`, { cache: "no-store" }).then((one) => one.json());
    log.after = answer.last;
    for (const request of answer.requests) {
        const name = request.endpoint === "discovery" ? "Carrier discovery"
            : providers.find((one) => one.id === request.issuer)?.name;
        log.entries.push({
            time: request.time, from: request.endpoint === "authorize" ? "browser" : "gatehouse", to: name,
            method: request.method, path: request.path, authorization: request.authorization, endpoint: request.endpoint,
            fields: request.fields.map((field) => [field.name, field.value]),
        });
    }
    // This app asks discovery, too, and sends the browser to a carrier itself; its own lines of that are there already.
    log.entries = log.entries.filter((one) => !(one.endpoint && isOurs(one))).slice(-kept);
    log.entries.sort((left, right) => left.time - right.time);
    save();
}

function isOurs(seen) {
    return ["discovery", "authorize"].includes(seen.endpoint) && log.entries.some((one) => !one.endpoint
        && one.path === seen.path && one.to === seen.to && Math.abs(one.time - seen.time) < 2000);
}
