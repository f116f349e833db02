/** RFC 7636, section 4.1: the longest verifier. */
const verifierLength = 128;
const stateLength = 32;
/** 64 characters that a verifier may have: six bits of a random byte pick one without bias. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

export type Randomness = {
  randomBytes: (length: number) => Uint8Array;
  sha256: (text: string) => Promise<Uint8Array>;
};

/** Creates the secrets of one sign-in: the verifier stays in this tab; the challenge (S256) and the state are sent. */
export async function createProof({ randomBytes, sha256 }: Randomness) {
  const verifier = randomText(randomBytes(verifierLength));
  const state = randomText(randomBytes(stateLength));
  return { verifier, state, challenge: base64Url(await sha256(verifier)) };
}

/** Turns each byte into a character that addresses and forms carry unchanged. */
export function randomText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => alphabet.charAt(byte & 63)).join('');
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
