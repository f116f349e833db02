import type { Background } from '#platform/work/background.ts';
import { elapsedTime, type Clock } from '#platform/clock.ts';
import { DatabaseLostError, isDatabaseLost } from '#platform/db/database-errors.ts';
import type { Log } from '#platform/log.ts';
import type { IdentityEvents } from '../../identity-events.ts';
import type { ClientDocumentStore } from './client-document-store.ts';
import { describeDocumentFault } from './document-fault.ts';
import type { ClientDocumentFetch, FetchedDocument, PublicMetadata } from './fetch-client-document.ts';
import { knownDocuments } from './known-documents.ts';

/** How long a failed fetch is not repeated: oidc-provider retries while it renders the error, and so may clients. */
const rememberFailureMs = 10_000;
const maxFailures = 1000;
/** Age of a stored document from which it is refetched in the background. */
const refetchAfterMs = 300_000;

/**
 * Clients' metadata documents. A stored one is used at once and refetched in the background, so that an unreachable
 * third party prevents no sign-in. Without one the document is fetched, and for a well-known client the copy that we
 * ship is the fallback.
 */
export function createClientDocuments(parts: {
  documents: ClientDocumentFetch;
  store: ClientDocumentStore;
  clock: Clock;
  log: Log;
  background: Background;
  events?: Pick<IdentityEvents, 'documentFailed' | 'documentFetched'> | undefined;
}) {
  const { documents, store, log, background, events } = parts;
  const time = elapsedTime(parts.clock);
  const failures = new Map<string, { error: unknown; untilMs: number }>();

  /** @param hasCopy whether there is a copy to use if the fetch fails */
  async function fetchDocument(clientId: string, hasCopy: boolean): Promise<FetchedDocument> {
    const failed = failures.get(clientId);
    if (failed && time.now() < failed.untilMs) throw failed.error;
    failures.delete(clientId);
    try {
      const fetched = await documents.fetch(clientId);
      background.add(store.keep(clientId, fetched.metadata), "a client's metadata document could not be stored");
      events?.documentFetched({ clientId });
      return fetched;
    } catch (error) {
      remember(clientId, error, hasCopy);
      throw error;
    }
  }

  function remember(clientId: string, error: unknown, hasCopy: boolean): void {
    const [oldest] = failures.keys();
    if (oldest !== undefined && failures.size >= maxFailures) failures.delete(oldest);
    failures.set(clientId, { error, untilMs: time.now() + rememberFailureMs });
    const knownName = knownDocuments.get(clientId)?.client_name;
    events?.documentFailed({ clientId, knownName, fault: describeDocumentFault(error), hasCopy });
    log.warn({ clientId, err: error }, "a client's metadata document could not be fetched");
  }

  return {
    /**
     * Returns the document of this client, as the answer to oidc-provider's request for it.
     * @throws the error of the fetch when there is no copy; DatabaseLostError
     */
    async answer(address: string | URL): Promise<Response> {
      const clientId = String(address);
      const kept = await store.find(clientId).catch(passOn);
      if (kept) {
        const isOld = parts.clock.now() - kept.fetchedAt.getTime() > refetchAfterMs;
        // the failure is logged already
        if (isOld) void fetchDocument(clientId, true).catch(() => {});
        return toResponse(clientId, kept.metadata);
      }
      try {
        const fetched = await fetchDocument(clientId, knownDocuments.has(clientId));
        return toResponse(clientId, fetched.metadata, fetched.cacheControl);
      } catch (error) {
        const known = knownDocuments.get(clientId);
        if (!known) throw error;
        return toResponse(clientId, known);
      }
    },
    close: documents.close,
  };
}

/** Rethrows a lost database so that answerUnavailable can tell it from a failed fetch. */
function passOn(error: unknown): never {
  throw isDatabaseLost(error) ? new DatabaseLostError('the database is unreachable', { cause: error }) : error;
}

function toResponse(clientId: string, metadata: PublicMetadata, cacheControl?: string): Response {
  return Response.json(
    { client_id: clientId, ...metadata },
    { headers: cacheControl === undefined ? {} : { 'cache-control': cacheControl } },
  );
}
