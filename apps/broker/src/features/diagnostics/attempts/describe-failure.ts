/** Values in the text about a failure: hosts, scopes, versions. Never a token, a code or a secret. */
export type FailureFacts = Readonly<Record<string, string>>;

type Words = { detail: string; advice: string };
type Describe = (facts: FailureFacts) => Words;

const isAboutPkce = (error: string) => /pkce|code_challenge/i.test(error);

const again = 'Remove the connector in the client and add it again with the link from your dashboard.';

/** Each way in which a client's attempt can fail: what happened, and what the user can do. */
const descriptions = {
  // for a client that publishes its description: that counts, so adding the client again changes nothing
  'redirect-unpublished': ({ asked = 'another address', registered = 'another' }) => ({
    detail: `The client asked to be answered at ${asked}, but the description that it publishes names ${registered}.`,
    advice: 'Update the client. If it keeps failing, tell its makers.',
  }),
  'redirect-mismatch': ({ asked = 'another address', registered = 'another' }) => ({
    detail: `The client asked to be answered at ${asked}, but it registered ${registered}.`,
    advice: 'Remove the connector in the client and add it again, so that it registers again.',
  }),
  'wrong-resource': ({ asked = 'another address', right = 'your link' }) => ({
    detail: `The client asked for access to ${asked}; your link is ${right}.`,
    advice: `Enter exactly ${right} in the client. Copy it from your dashboard, with nothing before or after it.`,
  }),
  'document-unusable': ({ host = "the client's site" }) => ({
    detail: `The description that the client publishes at ${host} couldn't be read, or isn't valid.`,
    advice:
      "Try again in a minute; adding the client again doesn't help. If it keeps failing, this server may not reach that site: ask its operator, or tell the client's makers.",
  }),
  'client-unknown': () => ({
    detail: 'The client used a registration that no longer exists here.',
    advice: again,
  }),
  'no-interaction': ({ needs = 'sign in' }) => ({
    detail: `The client asked for access without showing you a page (prompt=none), but you have to ${needs} first.`,
    advice: 'Connect again in the client: its own button opens the page. If it never opens one, tell its makers.',
  }),
  'authorize-refused': ({ error = 'invalid_request' }) => ({
    detail: `The client's request to sign in was refused: ${error}.`,
    advice: isAboutPkce(error)
      ? "Update the client. If it keeps failing, tell its makers that it doesn't follow OAuth 2.1 with PKCE."
      : 'Update the client. If it keeps failing, tell its makers.',
  }),
  'consent-denied': () => ({
    detail: 'You, or someone at your browser, chose not to allow the client.',
    advice: "Didn't mean to? Reconnect and choose Allow.",
  }),
  'code-expired': () => ({
    detail: 'The client asked for its token more than a minute after the sign-in. Its code had expired.',
    advice: 'Reconnect, and keep the client open while you sign in. Check that the clock of its machine is right.',
  }),
  'wrong-verifier': () => ({
    detail: "The client couldn't prove that it started this sign-in: its PKCE verifier was wrong or missing.",
    advice: 'Close every sign-in window, then reconnect from one client only. Update the client.',
  }),
  reused: () => ({
    detail: 'A code or refresh token was used twice, so the sign-in was ended in case a copy was stolen.',
    advice: 'Reconnect. If this happens again, two programs share one sign-in: connect each of them separately.',
  }),
  'token-refused': ({ error = 'invalid_grant' }) => ({
    detail: `The client's request for a token was refused: ${error}.`,
    advice: 'Reconnect in the client. If it keeps failing, update it, or tell its makers.',
  }),
  'sign-in-ended': () => ({
    detail: "The client's sign-in has ended: it wasn't used for 30 days, or it is older than 90 days.",
    advice: 'Reconnect in the client.',
  }),
  'token-expired': () => ({
    detail: "The client used an expired access token and hasn't renewed it since.",
    advice: 'Clients usually renew it within moments. If this one does not, restart or reconnect it.',
  }),
  'token-revoked': () => ({
    detail: 'The client used a token that was revoked, either here or when the client signed out.',
    advice: 'To use it again, reconnect the client, or give it a new personal access token.',
  }),
  'personal-token-expired': () => ({
    detail: 'The program used an expired personal access token.',
    advice: 'Create a new one under Access tokens and enter it in the program.',
  }),
  // for a sign-in at another of our links
  'other-link': ({ asked = 'this link', granted = 'another link' }) => ({
    detail: `The client asked for a token for ${asked}, but you allowed it for ${granted}.`,
    advice: `Connect it again with ${asked}: each link needs its own sign-in.`,
  }),
  'wrong-token': ({ kind = 'another address', right = 'this link' }) => ({
    detail: `The client used a token for ${kind} at ${right}.`,
    advice: `Connect it again with ${right}: each link needs its own sign-in.`,
  }),
  'insufficient-scope': ({ missing = 'a scope', has = 'none' }) => ({
    detail: `The client lacks the permission ${missing}. It has: ${has}.`,
    advice: 'Connect it again and allow everything it asks for, or create a token with this permission.',
  }),
  'unknown-session': () => ({
    detail: 'The client used a session that no longer exists, for example because the server restarted.',
    advice: 'Clients usually open a new session by themselves. If this one does not, restart it.',
  }),
  'wrong-accept': ({ accept = 'none' }) => ({
    detail: `The client doesn't accept the kinds of answer that MCP has: its Accept header was ${accept}.`,
    advice:
      'It must name application/json and text/event-stream. Update the client, or choose "Streamable HTTP" in it.',
  }),
  'wrong-content-type': () => ({
    detail: "The client didn't send its request as application/json.",
    advice: 'Update the client, or choose "Streamable HTTP" as its transport.',
  }),
  'unsupported-version': ({ asked = 'unknown' }) => ({
    detail: `The client uses MCP version ${asked}, which this server doesn't know.`,
    advice: 'Update the client. Version 2026-07-28 and those from 2024-11-05 to 2025-11-25 work.',
  }),
  'foreign-origin': ({ origin = 'another site' }) => ({
    detail: `A page of ${origin} tried to use your link in your browser. Only this site's own pages may.`,
    advice: 'Clients that run in a browser must send their requests from their own server.',
  }),
  'foreign-host': ({ host = 'another name', right = 'its own address' }) => ({
    detail: `The client called this server ${host}, but it only answers at ${right}.`,
    advice: 'Use the link from your dashboard. For the operator: PUBLIC_URL must be the address that users open.',
  }),
  'wrong-address': ({ asked = 'another address', right = 'the link on your dashboard' }) => ({
    detail: `The client went to ${asked}, where there is no MCP server.`,
    advice: `Remove the connector in the client, and add it again with exactly ${right}, with nothing before or after it.`,
  }),
  'bad-request': ({ status = '400' }) => ({
    detail: `The client's request wasn't valid MCP and was answered with status ${status}.`,
    advice: 'Update the client. If it keeps failing, tell its makers.',
  }),
} satisfies Record<string, Describe>;

export type FailureReason = keyof typeof descriptions;

const unknown: Words = { detail: 'This step failed.', advice: 'Reconnect in the client.' };

/** Describes a failure. `reason` comes from the database: reasons of older versions get a general text. */
export function describeFailure(reason: string, facts: FailureFacts): Words {
  const found = Object.entries<Describe>(descriptions).find(([name]) => name === reason);
  return found ? found[1](facts) : unknown;
}
