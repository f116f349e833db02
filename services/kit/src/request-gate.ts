import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { localhostAllowedHostnames, validateHostHeader } from '@modelcontextprotocol/server';

/** The person that a request is for. Undefined subject: no person, as for discovery. */
export type ServiceCaller = { subject: string | undefined };

export type Refusal = { status: number; message: string };

/** Printable ASCII, like all of our HTTP header values. */
const subjectPattern = /^[\x21-\x7e]{1,128}$/;

/**
 * The first check of every request: programs reach these services over loopback, browsers never.
 * A foreign Host means DNS rebinding; an Origin means that a browser sends the request.
 */
export function refuseForeign(headers: IncomingHttpHeaders): Refusal | undefined {
  if (!validateHostHeader(headers.host, localhostAllowedHostnames()).ok) {
    return { status: 403, message: 'This service answers on loopback addresses only.' };
  }
  if (headers.origin !== undefined) {
    return { status: 403, message: 'This service does not answer web pages.' };
  }
  return undefined;
}

/**
 * Finds out who calls. If a secret is set, only a caller that presents it may name a person; without a secret (run by hand)
 * the person is `local` unless the request names another.
 * Answers the refusal where the secret is wrong (401) or the subject is not a short opaque text (400).
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

/** Answers a refusal as JSON and closes the connection, so that the rest of the body is not read. */
export function sendRefusal(response: ServerResponse, refusal: Refusal): void {
  response
    .writeHead(refusal.status, { 'content-type': 'application/json', connection: 'close' })
    .end(JSON.stringify({ error: refusal.message }));
}

function single(value: string | string[] | undefined): string {
  return (Array.isArray(value) ? value.join(',') : (value ?? '')).trim();
}

/** Digests have a fixed length, so the comparison does not reveal the secret's length. */
function sameText(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}
