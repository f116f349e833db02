import { elapsedTime, type Clock } from '#platform/clock.ts';
import type { Outgoing } from '#platform/http/outgoing/outgoing.ts';
import { describeDocumentFault } from './document-fault.ts';
import { createClientDocumentFetch, type ClientDocumentFetch } from './fetch-client-document.ts';
import { knownDocuments } from './known-documents.ts';

/** A well-known client; `fault`: why its document could not be fetched just now. */
export type KnownDocument = { name: string; address: string; fault: string | undefined };

/** Minimum time between two checks, even if several administrators run the self-test. */
const rememberMs = 60_000;

/** Fetches the documents of all well-known clients concurrently, each within 3 s and 5 KiB. Never throws. */
async function checkAll(fetch: ClientDocumentFetch['fetch']): Promise<KnownDocument[]> {
  const checks = [...knownDocuments].map(async ([address, { client_name: name }]) => {
    const fault = await fetch(address).then(() => undefined, describeDocumentFault);
    return { name: name ?? address, address, fault };
  });
  return Promise.all(checks);
}

/** Does the same for a command, without a broker. */
export async function checkKnownDocuments(outgoing: Outgoing): Promise<KnownDocument[]> {
  const documents = createClientDocumentFetch({ outgoing });
  return checkAll(documents.fetch).finally(() => documents.close());
}

/** Returns a check whose result is reused for a minute. */
export function createKnownDocumentCheck(fetch: ClientDocumentFetch['fetch'], clock: Clock) {
  const time = elapsedTime(clock);
  let last: { found: Promise<KnownDocument[]>; atMs: number } | undefined;
  return (): Promise<KnownDocument[]> => {
    if (!last || time.now() - last.atMs > rememberMs) last = { found: checkAll(fetch), atMs: time.now() };
    return last.found;
  };
}
