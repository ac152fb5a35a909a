// What is seen. Everything that comes from elsewhere becomes text, never markup.

import { purpose } from "./words.js";

// An element: h("p", { class: "soft" }, "text", another).
export function h(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes ?? {})) {
        if (key === "click") element.addEventListener("click", value);
        else if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== false));
    return element;
}

export const button = (label, click, more = {}) => h("button", { type: "button", click, ...more }, label);
export const actions = (...buttons) => h("div", { class: "actions" }, ...buttons);
export const list = (pairs) => h("dl", {}, pairs.filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));

export function card(id, title, ...children) {
    return h("section", { class: "card", id, "aria-labelledby": `${id}-title` },
        h("h2", { id: `${id}-title` }, title), ...children);
}

export const time = (seconds) => new Date(seconds * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });

export function welcome(providers, signIn) {
    const carriers = providers.filter((one) => one.mccmnc);
    return [card("welcome", "Sign in with your phone number",
        h("p", {}, "No password: your mobile carrier says who you are. The carriers here are simulated, so be"
            + " anybody you like."),
        actions(button("Sign in", () => signIn({}), { id: "sign-in" })),
        h("p", { class: "soft" }, "Gatehouse then asks who is to sign you in. An app that knows your carrier goes straight"
            + " there:"),
        actions(...carriers.map((carrier) => button(carrier.name,
            () => signIn({ provider: "zenkey", mccmnc: carrier.mccmnc }), { class: "quiet", id: `sign-in-${carrier.id}` }))),
    ), card("tries", "What there is to try", h("ol", { class: "tries" }, [
        "Sign in, and look at the requests: this app has no secret, and never sees a token of the carrier's.",
        "Transfer money, which takes an approval at the carrier and leaves a receipt.",
        "Move your number to the other carrier and sign in there: you are the same user.",
        "Try another transfer right after that, as a thief of your number would.",
        "Lock the app with a PIN, and try wrong ones.",
        "Sign up without a carrier, and bind a credential.",
        "End sessions, and sign out.",
    ].map((one) => h("li", {}, one))))];
}

export function profile(user, carrier, badge) {
    return card("profile", "Signed in",
        h("p", { class: "big" }, user.name ?? "Somebody without a name"),
        badge && h("p", { class: "badge", id: "badge" }, badge),
        list([
            ["User id", h("span", { id: "user-id" }, user.sub)],
            ["Signed in by", carrier?.name],
            ["Phone number", user.phone_number && verified(user.phone_number, user.phone_number_verified)],
            ["E-mail", user.email && verified(user.email, user.email_verified)],
        ]),
        h("p", { class: "soft" }, "The user id is Gatehouse's own. What the carrier calls you stays with Gatehouse."));
}

const verified = (value, isVerified) => `${value} (${isVerified ? "" : "not "}verified)`;

export function moving(from, to, hasMoved, move, signInAgain) {
    return card("moving", hasMoved ? `Your number is at ${to.name} now` : "Change carriers",
        h("p", {}, hasMoved
            ? `${from.name} does not know you any more. Sign in at ${to.name}, and you are the same user: the new carrier`
                + " passes on a token that the old one has signed."
            : `Your number is at ${from.name}. Take it to ${to.name}, and see what becomes of your account.`),
        actions(hasMoved
            ? button(`Sign in again at ${to.name}`, signInAgain, { id: "sign-in-again" })
            : button(`Move my number to ${to.name}`, move, { id: "move" })));
}

export function transfer(carrier, approve, outcome) {
    const recipient = h("input", { id: "recipient", value: "Bob", maxlength: "60", autocomplete: "off" });
    const amount = h("input", { id: "amount", value: "250.00", maxlength: "10", inputmode: "decimal", autocomplete: "off" });
    return card("transfer", "Transfer money",
        h("p", {}, `To be signed in is not enough for that: ${carrier.name} shows you this very transfer, and would ask for your`
            + " PIN or fingerprint if it were real."),
        h("div", { class: "fields" }, h("label", {}, "Euro", amount), h("label", {}, "To", recipient)),
        actions(button(`Approve at ${carrier.name}`, () => approve(amount.value, recipient.value), { id: "approve" })),
        outcome);
}

export function receipt({ header, payload, context, isSigned, isAboutContext }) {
    return h("div", { id: "receipt" }, h("h3", {}, "Receipt"),
        h("p", {}, `“${context}” is approved. ${isSigned
            ? "The signature is Gatehouse's: verified with its published key." : "The signature could not be verified!"}`
            + (isAboutContext ? " The receipt's hash is that of the text." : " The receipt is about another text!")),
        list([
            ["User id", payload.sub], ["Level", payload.acr], ["Signed in at", time(payload.auth_time)],
            ["Receipt made at", time(payload.iat)],
            ["Its header", h("code", {}, JSON.stringify(header))], ["Its claims", h("code", {}, JSON.stringify(payload))],
        ]));
}

export const refusal = ([title, sentence]) => h("div", { id: "refusal", class: "notice bad", role: "alert" },
    h("p", {}, h("strong", {}, title)), h("p", {}, sentence));

export function identities(all, providers, link, unlink) {
    const plain = providers.find((one) => !one.mccmnc);
    const isLinked = all.some((one) => one.issuer === plain.issuer);
    const origins = { "sign-in": "by your first sign-in", migration: "by changing carriers", link: "linked by you" };
    return card("identities", "Where you are known",
        h("ul", { class: "rows" }, all.map((one) => h("li", {}, h("span", {},
            h("strong", {}, providers.find((provider) => provider.issuer === one.issuer)?.name ?? one.issuer),
            `, since ${time(one.linked_at)}, ${origins[one.origin] ?? one.origin}`),
            one.origin === "link" && button("Unlink it", () => unlink(one), { class: "quiet" })))),
        !isLinked && actions(button(`Link ${plain.name}`, () => link(plain), { class: "quiet", id: "link" })));
}

export function sessions(all, end, another) {
    return card("sessions", "Where you are signed in",
        h("ul", { class: "rows" }, all.map((one) => h("li", {},
            h("span", {}, h("strong", {}, one.current ? "This one" : "Another one"),
                `, since ${time(one.created_at)}, ${browser(one.user_agent)}`),
            button(one.current ? "End this session" : "End it", () => end(one), { class: "quiet" })))),
        actions(button("Sign in once more", another, { class: "quiet", id: "another" })),
        h("p", { class: "soft" }, "Signing in once more makes another session, as on another device."));
}

export function signUp(directory, act, signIn) {
    const name = h("input", { id: "sign-up-name", maxlength: "60", autocomplete: "name" });
    const email = h("input", { id: "sign-up-email", type: "email", maxlength: "120", autocomplete: "email" });
    const form = h("form", {}, h("div", { class: "fields" }, h("label", {}, "Name", name), h("label", {}, "E-mail", email)),
        actions(h("button", { id: "sign-up-it" }, "Sign up")));
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        if (name.value && email.value) act(name.value, email.value);
    });
    return card("sign-up", `Sign up with ${directory.name}`,
        h("p", {}, "Without a carrier and without a password: a key on your device says who you are. The mail that brings it is"
            + " simulated, too."),
        form, actions(button(`Sign in with ${directory.name}`, signIn, { class: "quiet", id: "sign-in-directory" })));
}

export const mailbox = (to, link) => card("mailbox", "Your mailbox",
    h("p", {}, `To ${to}: somebody, you we hope, has signed up with this address.`),
    h("p", {}, h("a", { href: link, id: "bind" }, "Keep the credential on this device")),
    h("p", { class: "soft" }, "Then come back to this page, and sign in."));

function pinned(id, title, label, kind, act, ...words) {
    const pin = h("input", { id: `${id}-pin`, type: "password", inputmode: "numeric", maxlength: "12", autocomplete: kind });
    // Whatever keeps PINs for people files them under a name.
    const form = h("form", {}, h("input", { type: "text", autocomplete: "username", value: "sample-app", hidden: true }),
        h("div", { class: "fields" }, h("label", {}, "PIN", pin)),
        actions(h("button", { id: `${id}-it` }, label)));
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        if (pin.value) act(pin.value);
    });
    return card(id, title, ...words, form);
}

export const locking = (lock) => pinned("lock", "Lock the app", "Lock it", "new-password", lock,
    h("p", {}, "With a PIN of your choice, as TIM's clients do: the refresh token stays here, encrypted. The key for it is made"
        + " and kept by Gatehouse, which gives it to nobody after three wrong PINs in a row."));

export const unlocking = (name, unlock) => pinned("unlock", "The app is locked", "Unlock it", "current-password", unlock,
    h("p", {}, `For ${name ?? "somebody"}. There are no tokens here but an encrypted one.`));

const browser = (agent) => /(Firefox|Edg|Chrome|Safari)\//.exec(agent ?? "")?.[1].replace("Edg", "Edge") ?? "an app";

export function wire(steps, entries) {
    const groups = steps.map((step, index) => ({
        ...step, number: index + 1,
        entries: entries.filter((one) => one.time >= step.time && one.time < (steps[index + 1]?.time ?? Infinity)),
    })).filter((group) => group.entries.length > 0).reverse();
    if (groups.length === 0) return [h("p", {}, "Nothing yet.")];
    return groups.map((group, index) => h("details", { class: "step", open: index === 0 },
        h("summary", {}, h("h3", {}, `${group.number}. ${group.title}`)),
        h("ol", { class: "wire" }, group.entries.map(line))));
}

const short = (path) => path.replace(/[0-9a-f]{20,}/g, (id) => `${id.slice(0, 6)}…`);
const senders = { app: "App", browser: "Browser", gatehouse: "Gatehouse" };

function line(entry) {
    const fields = [...(entry.authorization ? [["Authorization", entry.authorization]] : []), ...entry.fields];
    const table = (pairs) => list(pairs.map(([name, value]) => [name, h("code", {}, value)]));
    const why = purpose(entry);
    return h("li", { class: entry.from }, h("details", {},
        h("summary", {}, h("span", { class: "who" }, `${senders[entry.from]} → ${entry.to}`),
            h("code", {}, `${entry.method} ${short(entry.path)}${entry.status ? ` · ${entry.status}` : ""}`)),
        why && h("p", {}, why), fields.length > 0 && table(fields),
        entry.answer?.length > 0 && h("p", {}, "The answer:"), entry.answer?.length > 0 && table(entry.answer)));
}
