import type { FailureFacts } from './connection-event.ts';

type Words = { detail: string; advice: string };
type Describe = (facts: FailureFacts) => Words;

const again = 'Remove the connector in the client and add it again with the link from your dashboard.';

/** Each way in which a client's attempt fails: what happened, and what the person can do, in plain words. */
const descriptions = {
  'redirect-mismatch': ({ asked = 'another address', registered = 'its own' }) => ({
    detail: `The client wanted to be answered at ${asked}, but it registered ${registered}.`,
    advice: 'Remove the connector in the client and add it again, so that it registers anew.',
  }),
  'wrong-resource': ({ asked = 'another address', right = 'the link' }) => ({
    detail: `The client asked for a token for ${asked}; it has to be ${right}.`,
    advice: `Put exactly ${right} into the client: copy it from your dashboard, without anything before or after it.`,
  }),
  'document-unusable': ({ host = 'its publisher' }) => ({
    detail: `The description that the client publishes at ${host} could not be read, or is not valid.`,
    advice: "Try again in a minute. If it stays so, tell the client's makers; it may be unreachable from this server.",
  }),
  'client-unknown': () => ({
    detail: 'The client came with a registration that this installation does not know (any more).',
    advice: again,
  }),
  'authorize-refused': ({ error = 'invalid_request' }) => ({
    detail: `The client's request to sign in was refused: ${error}.`,
    advice: 'Update the client. If it stays so, tell its makers: its request does not follow OAuth 2.1 with PKCE.',
  }),
  'consent-denied': () => ({
    detail: 'The request was cancelled on the page that asks for permission.',
    advice: 'If that was not meant so: connect again in the client and choose Allow.',
  }),
  'code-expired': () => ({
    detail: 'The client came for its token more than a minute after the sign-in; its code had expired.',
    advice: 'Connect again and leave the client open meanwhile. Check that the clock of its machine is right.',
  }),
  'wrong-verifier': () => ({
    detail: 'The client could not prove that it had started this sign-in (PKCE): its verifier was wrong or missing.',
    advice: 'Close every window of the sign-in and connect again once, in one client only. Update the client.',
  }),
  reused: () => ({
    detail: 'A code or refresh token was used a second time, so the sign-in was ended: a copy might have been stolen.',
    advice: 'Connect again. If it comes back, two programs share one copied sign-in: give each its own.',
  }),
  'token-refused': ({ error = 'invalid_grant' }) => ({
    detail: `The client's request for a token was refused: ${error}.`,
    advice: again,
  }),
  'sign-in-ended': () => ({
    detail: 'The client came with a sign-in that has ended: it was not used for 30 days, or is older than 90.',
    advice: 'Connect again in the client.',
  }),
  'token-expired': () => ({
    detail: 'The client came with an access token that had expired, and has not renewed it since.',
    advice: 'Clients do this by themselves within moments. If it stays so, restart the client or connect it again.',
  }),
  'token-revoked': () => ({
    detail: 'The client came with a token that was revoked: here, or by its own sign-out.',
    advice: 'If you want it back, connect it again in the client (or give it a new personal access token).',
  }),
  'personal-token-expired': () => ({
    detail: 'The program came with a personal access token that has expired.',
    advice: 'Create a new one under Access tokens and put it into the program.',
  }),
  'wrong-token': ({ kind = 'another address', right = 'this link' }) => ({
    detail: `The client came to ${right} with a token that is for ${kind}.`,
    advice: `Connect it again with ${right}: each link is signed in to on its own.`,
  }),
  'insufficient-scope': ({ missing = 'a scope', has = 'none' }) => ({
    detail: `The client lacks the permission ${missing}; it was given ${has}.`,
    advice: 'Connect it again and allow everything that it asks for, or create a token with this permission.',
  }),
  'unknown-session': () => ({
    detail: 'The client went on with a session that does not exist any more, for one after a restart of the server.',
    advice: 'Clients open a new session by themselves. If this one does not, restart it.',
  }),
  'wrong-accept': ({ accept = 'none' }) => ({
    detail: `The client does not accept the answers that MCP has: its Accept header was ${accept}.`,
    advice:
      'It must name application/json and text/event-stream. Update the client, or choose "Streamable HTTP" in it.',
  }),
  'wrong-content-type': () => ({
    detail: 'The client did not send its request as application/json.',
    advice: 'Update the client, or choose "Streamable HTTP" as its kind of connection.',
  }),
  'unsupported-version': ({ asked = 'unknown' }) => ({
    detail: `The client speaks protocol version ${asked}, which this server does not know.`,
    advice: 'Update the client; 2026-07-28 and the versions from 2024-11-05 to 2025-11-25 work.',
  }),
  'foreign-origin': ({ origin = 'another site' }) => ({
    detail: `A page of ${origin} tried to use the link in your browser. Only this site's own pages may.`,
    advice: 'Clients that run in a browser must send their requests from their own server.',
  }),
  'foreign-host': ({ host = 'another name', right = 'its own address' }) => ({
    detail: `The client called this installation ${host}, but it answers at ${right} only.`,
    advice: `Use the link from your dashboard. The operator: PUBLIC_URL must be the address that people use.`,
  }),
  'bad-request': ({ status = '400' }) => ({
    detail: `The client's request was not valid MCP and was answered ${status}.`,
    advice: 'Update the client. If it stays so, tell its makers.',
  }),
} satisfies Record<string, Describe>;

export type FailureReason = keyof typeof descriptions;

const unknown: Words = { detail: 'This step failed.', advice: again };

/** What to show of a failure. `reason` comes from the database: one of an older version gets general words. */
export function describeFailure(reason: string, facts: FailureFacts): Words {
  const found = Object.entries<Describe>(descriptions).find(([name]) => name === reason);
  return found ? found[1](facts) : unknown;
}
