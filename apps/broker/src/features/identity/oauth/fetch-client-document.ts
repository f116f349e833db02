import { request, type Dispatcher } from 'undici';
import { elapsedTime, type Clock } from '#platform/clock.ts';
import { createGuardedDispatcher } from '#platform/http/guarded-fetch.ts';
import { readBounded } from '#platform/http/read-bounded.ts';
import { isRecord } from '#platform/json.ts';
import { readClientMetadata } from './client-metadata.ts';

const maxDocumentBytes = 5 * 1024;
const timeoutMs = 3000;
/** oidc-provider asks again while it renders the error, and a client must not make us send requests without end. */
const rememberFailureMs = 10_000;
const maxFailures = 1000;

/** A client's metadata document could not be had; the message is for the log and for the client's developer. */
class ClientDocumentError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ClientDocumentError';
  }
}

/**
 * Fetches client ID metadata documents (draft-ietf-oauth-client-id-metadata-document) in the place of oidc-provider's
 * own fetch: https only, public addresses only (literals and resolved names), no redirect, 5 KiB, 3 s.
 * The document is read by the same rules as a registration, since real ones name grant types that we do not have.
 *
 * @param dispatcher stands in for the guarded one in tests, which have no public address to publish a document at
 */
export function createClientDocumentFetch(clock: Clock, dispatcher?: Dispatcher) {
  const time = elapsedTime(clock);
  const guarded =
    dispatcher ?? createGuardedDispatcher({ allowAddresses: [], connectTimeoutMs: timeoutMs, connections: 4 });

  const failures = new Map<string, { error: unknown; untilMs: number }>();

  async function load(address: string): Promise<Response> {
    const url = new URL(address);
    if (url.protocol !== 'https:') throw new ClientDocumentError('the document must be at an https address');
    const answer = await request(url, {
      dispatcher: guarded,
      method: 'GET',
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(timeoutMs),
    });
    answer.body.on('error', () => {});
    if (answer.statusCode !== 200) {
      answer.body.destroy();
      throw new ClientDocumentError(`the document's address answered ${answer.statusCode}`);
    }
    const document: unknown = JSON.parse((await readBounded(answer.body, maxDocumentBytes, tooLarge)).toString('utf8'));
    if (!isRecord(document) || document['client_id'] !== url.href) {
      throw new ClientDocumentError('client_id in the document must be the address of the document');
    }
    // The draft forbids shared secrets in a document that is public.
    if ('client_secret' in document || String(document['token_endpoint_auth_method'] ?? 'none') !== 'none') {
      throw new ClientDocumentError(
        'only public clients (token_endpoint_auth_method none) may use a metadata document',
      );
    }
    const read = readClientMetadata(document);
    if ('error' in read) throw new ClientDocumentError(read.description);
    const cacheControl = answer.headers['cache-control'];
    return Response.json(
      { client_id: url.href, ...read.metadata },
      { headers: typeof cacheControl === 'string' ? { 'cache-control': cacheControl } : {} },
    );
  }

  return {
    fetch: async (address: string | URL): Promise<Response> => {
      const key = String(address);
      const failed = failures.get(key);
      if (failed && time.now() < failed.untilMs) throw failed.error;
      failures.delete(key);
      try {
        return await load(key);
      } catch (error) {
        const [oldest] = failures.keys();
        if (oldest !== undefined && failures.size >= maxFailures) failures.delete(oldest);
        failures.set(key, { error, untilMs: time.now() + rememberFailureMs });
        throw error;
      }
    },
    close: async () => {
      // a dispatcher that was handed in belongs to who made it
      if (!dispatcher) await guarded.destroy();
    },
  };
}

function tooLarge(): ClientDocumentError {
  return new ClientDocumentError(`the document is larger than ${maxDocumentBytes} bytes`);
}
