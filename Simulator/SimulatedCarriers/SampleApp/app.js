// What a person does, and what the app does about it.

import * as lock from "./lock.js";
import * as oauth from "./oauth.js";
import * as views from "./views.js";
import * as wire from "./wire.js";
import { explain } from "./words.js";

const settings = await fetch("/app/settings", { cache: "no-store" }).then((answer) => answer.json());
const place = (id) => document.getElementById(id);
const read = (name) => JSON.parse(sessionStorage.getItem(name));
const write = (name, value) => sessionStorage.setItem(name, JSON.stringify(value));

function tell(words, isBad = false) {
    const notice = words && views.h("div", { class: isBad ? "notice bad" : "notice" },
        views.h("p", {}, views.h("strong", {}, words[0])), views.h("p", {}, words[1]));
    place("notice").replaceChildren(...(notice ? [notice] : []));
    // On a phone the button may be far below it.
    if (notice) notice.scrollIntoView({ block: "nearest" });
}

const isEnded = (failure) => failure.code === "invalid_token";

function fail(failure) {
    if (!(failure instanceof wire.Failure)) console.error(failure);
    tell(explain(failure), true);
}

// Runs what a button is for. Only one thing is done at a time, and every failure is told.
async function act(title, work) {
    const buttons = [...document.querySelectorAll("button")];
    for (const button of buttons) button.disabled = true;
    tell(null);
    wire.step(title);
    try {
        await work();
    } catch (failure) {
        if (isEnded(failure)) oauth.forget();
        if (isEnded(failure) || !oauth.tokens()) await show().catch(() => {});
        fail(failure);
    }
    for (const button of buttons) button.disabled = false;
    await showWire();
}

async function showWire() {
    await wire.listen([...settings.providers, settings.directory]).catch(() => {});
    place("wire").replaceChildren(...views.wire(wire.steps(), wire.entries()));
}

const signIn = (title, wishes) => act(title, () => oauth.signIn(settings, wishes));

const ask = async (path, method = "GET") =>
    wire.call("Gatehouse", method, settings.gatehouse + path, { token: await oauth.accessToken(settings) });

// The person's number as the simulation knows it, which stands for what a phone knows of its SIM.
async function number(user) {
    const { numbers } = await fetch("/app/numbers", { cache: "no-store" }).then((answer) => answer.json());
    return numbers.find((one) => one.phone_number === user.phone_number);
}

const wishes = (carrier, subscriber) => carrier?.mccmnc
    ? { provider: "zenkey", mccmnc: carrier.mccmnc, login_hint: subscriber }
    : { provider: carrier?.id, login_hint: subscriber };

// Everything on the page, as Gatehouse has it now.
async function show(outcome) {
    place("sign-out").hidden = !oauth.tokens();
    if (!oauth.tokens()) {
        const welcome = views.welcome(settings.providers,
            (one) => signIn(one.provider ? "Sign in at the carrier" : "Sign in", one));
        welcome.push(views.signUp(settings.directory, signUp,
            () => signIn(`Sign in with ${settings.directory.name}`, { provider: settings.directory.id })));
        const locked = lock.locked();
        if (locked) welcome.unshift(views.unlocking(locked.user, unlock));
        place("cards").replaceChildren(...welcome);
        return;
    }
    const user = await ask("/auth/userinfo");
    const identities = await ask("/users/me/identities");
    const sessions = await ask("/users/me/sessions");
    // A provider of Gatehouse's may be several carriers; the last of them to sign the user in is the one.
    const provider = sessions.find((one) => one.current)?.provider;
    const last = identities.filter((one) => one.provider === provider)
        .toSorted((left, right) => right.last_sign_in_at - left.last_sign_in_at)[0];
    const carrier = settings.providers.find((one) => one.issuer === last?.issuer);
    const known = await number(user);
    const other = settings.providers.find((one) => one.mccmnc && one.id !== carrier?.id);
    const cards = [views.profile(user, carrier, badge(user, last, carrier))];
    if (carrier?.mccmnc) {
        const hasMoved = known?.carrier === other.id;
        cards.push(views.moving(carrier, other, hasMoved, () => move(user, other, known),
            () => signIn(`Sign in again at ${other.name}`, wishes(other, known?.subscriber))));
        cards.push(views.transfer(hasMoved ? other : carrier,
            (amount, to) => approve(hasMoved ? other : carrier, amount, to, known), outcome));
    } else {
        cards.push(views.card("moving", "Change carriers", views.h("p", {}, "That and transfers take somebody who has"
            + " signed in at a mobile carrier. Sign out, and sign in again with one.")));
    }
    cards.push(views.identities(identities, settings.providers, link, unlink));
    cards.push(views.sessions(sessions, end, () => signIn("Sign in once more", wishes(carrier, known?.subscriber))));
    cards.push(views.locking((pin) => lockUp(pin, user)));
    place("cards").replaceChildren(...cards);
    write("before", { sub: user.sub, carrier: carrier?.id });
    document.title = `${user.name ?? "Signed in"} – Sample app`;
}

// What Gatehouse says of how the user came to this carrier, and what this tab has seen itself.
function badge(user, identity, carrier) {
    const before = read("before");
    const former = settings.providers.find((one) => one.id === before?.carrier);
    if (before?.sub === user.sub && former && former.id !== carrier?.id) {
        write("badge", { sub: user.sub, carrier: carrier?.id, text: `Recognised after moving: the same user as at ${former.name}` });
    }
    const earned = read("badge");
    if (earned?.sub === user.sub && earned.carrier === carrier?.id) return earned.text;
    return identity?.origin === "migration" ? "Recognised after moving" : undefined;
}

const move = (user, to, known) => act(`Move the number to ${to.name}`, async () => {
    if (!known) throw new wire.Failure("no_number");
    await wire.call("Simulation", "POST", `/subscribers/${known.subscriber}/port?to=${to.id}`);
    await show();
    tell([`Your number is at ${to.name} now`, "Sign in again there."]);
});

const approve = (carrier, amount, recipient, known) => act(`Approve a transfer at ${carrier.name}`, async () => {
    const context = `Transfer ${amount.trim()} euro to ${recipient.trim()}`;
    await oauth.askForApproval(settings, carrier, context, known?.subscriber);
});

const link = (provider) => act(`Link ${provider.name}`, () => oauth.askForIdentity(provider));

const unlink = (identity) => act("Unlink", async () => {
    await ask(`/users/me/identities/${identity.identity_id}`, "DELETE");
    await show();
    tell(["It is unlinked", "It signs nobody in any more, and sessions that it has opened are over."]);
});

const end = (session) => act("End a session", async () => {
    await ask(`/users/me/sessions/${session.session_id}`, "DELETE");
    if (session.current) oauth.forget();
    await show();
    tell(session.current ? ["This session has ended", "Its tokens are worth nothing any more."]
        : ["The other session has ended", "Its tokens are worth nothing any more."]);
});

// A mail comes a moment later, for Gatehouse asks the directory after it has answered.
async function mail(to) {
    for (let patience = 40; patience > 0; patience -= 1) {
        const { links } = await fetch(`/app/mails?to=${encodeURIComponent(to)}`, { cache: "no-store" }).then((one) => one.json());
        if (links.length > 0) return links.at(-1);
        await new Promise((resolve) => setTimeout(resolve, 250));
    }
    throw new wire.Failure("no_mail");
}

const signUp = (name, email) => act("Sign up", async () => {
    await wire.call("Gatehouse", "POST", `${settings.gatehouse}/users/signup`,
        { form: { provider: settings.directory.id, email, display_name: name } });
    const link = await mail(email);
    place("cards").prepend(views.mailbox(email, link));
    tell(["Look into your mail", "The link in it gives its reader, and nobody else, a credential of the new account."]);
});

const lockUp = (pin, user) => act("Lock the app", async () => {
    await oauth.accessToken(settings);
    await lock.lock(settings, pin, oauth.tokens().refresh_token, user.name);
    oauth.forget();
    await show();
    tell(["The app is locked", "This tab has forgotten its tokens. What is left is encrypted, and the key is Gatehouse's."]);
});

const unlock = (pin) => act("Unlock the app", async () => {
    const refreshToken = await lock.unlock(settings, pin);
    // It is used up, or good for nothing any more; the next lock keeps the one that came for it.
    lock.forget();
    await oauth.refresh(settings, { refresh_token: refreshToken });
    await show();
});

// With the carrier's code to Gatehouse. What comes of it stands where the transfer was asked for.
async function approved(pending) {
    let outcome;
    try {
        const receipt = await oauth.receipt(settings, pending);
        receipt.isAboutContext = receipt.payload.context_hash === await oauth.sha256(receipt.context);
        outcome = views.receipt(receipt);
    } catch (failure) {
        if (!(failure instanceof wire.Failure) || isEnded(failure)) throw failure;
        outcome = views.refusal(explain(failure));
    }
    await show(outcome);
    place("transfer").scrollIntoView({ block: "start" });
}

// The browser comes back here from Gatehouse and from carriers; each address has its own meaning.
async function arrive() {
    if (location.pathname === "/app/callback") {
        await oauth.redeem(settings, oauth.answer("sign-in", settings));
        return show();
    }
    if (location.pathname === "/app/approved") {
        return approved(oauth.answer("approval", settings));
    }
    if (location.pathname === "/app/linked") {
        const pending = oauth.answer("link", settings);
        await oauth.link(settings, pending);
        await show();
        tell(["It is linked", "Sign in there next time, and you are the same user."]);
        return;
    }
    if (read("pending")?.kind === "sign-out" && new URLSearchParams(location.search).get("state") === read("pending").state) {
        for (const name of ["pending", "before", "badge"]) sessionStorage.removeItem(name);
        wire.navigation("App", location.href);
        history.replaceState(null, "", "/app/");
        tell(["You are signed out", "Gatehouse has ended the session, and this tab has forgotten its tokens."]);
    }
    return show();
}

place("sign-out").addEventListener("click", () => act("Sign out", () => oauth.signOut(settings)));
// A page that the browser has kept comes back as it was, with its buttons off.
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
try {
    await arrive();
} catch (failure) {
    if (isEnded(failure)) oauth.forget();
    await show().catch(() => place("cards").replaceChildren(views.card("again", "Nothing to show",
        views.actions(views.button("Try again", () => location.assign("/app/"))))));
    fail(failure);
}
await showWire();
document.documentElement.dataset.ready = "true";
