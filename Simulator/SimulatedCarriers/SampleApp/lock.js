// The app locked with a PIN, as TIM's clients do it: the refresh token lies encrypted on the device, under a key that
// Gatehouse's KeyService gives for the right PIN, and after three wrong ones never again.

import { Failure, call } from "./wire.js";

const algorithm = "AES-GCM";
const nonceBytes = 12;

const bytesOf = (base64) => Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
const base64 = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)));

// What stands for a phone's keychain. It outlives the tab.
const name = "locked";
export const locked = () => JSON.parse(localStorage.getItem(name));
export const forget = () => localStorage.removeItem(name);

const ask = (settings, path, json) => call("Gatehouse", "POST", `${settings.gatehouse}/keyservice/v1/${path}`, { json });

const imported = (key, use) => crypto.subtle.importKey("raw", bytesOf(key), algorithm, false, [use]);

// Encrypts a refresh token. The key is forgotten at once; nothing of the PIN is kept.
export async function lock(settings, pin, refreshToken, user) {
    const { keyid, key } = await ask(settings, "createkey", { secret: pin });
    const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes));
    const sealed = await crypto.subtle.encrypt({ name: algorithm, iv: nonce }, await imported(key, "encrypt"),
        new TextEncoder().encode(refreshToken));
    localStorage.setItem(name, JSON.stringify({ user, keyid, nonce: base64(nonce), sealed: base64(sealed) }));
}

// The refresh token. What is locked is gone for good when the key is.
export async function unlock(settings, pin) {
    const { keyid, nonce, sealed } = locked();
    try {
        const { key } = await ask(settings, "key", { secret: pin, keyid });
        const opened = await crypto.subtle.decrypt({ name: algorithm, iv: bytesOf(nonce) }, await imported(key, "decrypt"),
            bytesOf(sealed));
        return new TextDecoder().decode(opened);
    } catch (failure) {
        if (failure instanceof Failure && ["key_locked", "key_missing"].includes(failure.code)) forget();
        throw failure;
    }
}
