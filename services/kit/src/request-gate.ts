import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { localhostAllowedHostnames, validateHostHeader } from '@modelcontextprotocol/server';

/** Caller of a request. The subject is undefined if no user is named, for example for discovery. */
export type ServiceCaller = { subject: string | undefined };

export type Refusal = { status: number; message: string };

/** Printable ASCII, as in all our HTTP header values. */
const subjectPattern = /^[\x21-\x7e]{1,128}$/;

/**
 * Checks where a request comes from. Programs reach these services over loopback; browsers must not.
 * A foreign Host means DNS rebinding; an Origin means that a browser sent the request.
 */
export function refuseForeign(headers: IncomingHttpHeaders): Refusal | undefined {
  if (!validateHostHeader(headers.host, localhostAllowedHostnames()).ok) {
    return { status: 403, message: 'This service is available on loopback addresses only.' };
  }
  if (headers.origin !== undefined) {
    return { status: 403, message: 'This service does not accept requests from web pages.' };
  }
  return undefined;
}

/**
 * Identifies the caller. If a secret is set, only a caller that presents it may name a user; without a secret (started by
 * hand) the user is `local` unless the request names another.
 * @returns the caller, or the refusal of a wrong secret (401) or an invalid subject (400)
 */
export function identifyCaller(headers: IncomingHttpHeaders, secret: string | undefined): ServiceCaller | Refusal {
  if (secret !== undefined && !sameText(single(headers['x-souk-service-secret']), secret)) {
    return { status: 401, message: 'The x-souk-service-secret header is missing or wrong.' };
  }
  const subject = single(headers['x-souk-subject']);
  if (subject === '') return { subject: secret === undefined ? 'local' : undefined };
  if (!subjectPattern.test(subject)) {
    return { status: 400, message: 'The x-souk-subject header must be 1 to 128 printable characters.' };
  }
  return { subject };
}

/** Sends a refusal as JSON, and closes the connection instead of reading the rest of the body. */
export function sendRefusal(response: ServerResponse, refusal: Refusal): void {
  response
    .writeHead(refusal.status, { 'content-type': 'application/json', connection: 'close' })
    .end(JSON.stringify({ error: refusal.message }));
}

function single(value: string | string[] | undefined): string {
  return (Array.isArray(value) ? value.join(',') : (value ?? '')).trim();
}

/** Compares digests, because their fixed length does not reveal the secret's length. */
function sameText(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}
