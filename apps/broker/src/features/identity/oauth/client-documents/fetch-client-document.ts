import { request, type Dispatcher } from 'undici';
import { createGuardedDispatcher } from '#platform/http/outgoing/guarded-fetch.ts';
import type { Outgoing } from '#platform/http/outgoing/outgoing.ts';
import { readBounded } from '#platform/http/outgoing/read-bounded.ts';
import { withoutNullMembers } from '#platform/http/outgoing/without-null-members.ts';
import { isRecord } from '#platform/json.ts';
import { readClientMetadata, type ClientMetadata } from './client-metadata.ts';

const maxDocumentBytes = 5 * 1024;
const timeoutMs = 3000;

/** Metadata from a public document, in which the draft forbids secrets. */
export type PublicMetadata = ClientMetadata & { token_endpoint_auth_method: 'none' };

export type FetchedDocument = {
  metadata: PublicMetadata;
  cacheControl: string | undefined;
};

/** A client's metadata document was fetched but is invalid. The message is for users and the client's developer. */
export class ClientDocumentError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ClientDocumentError';
  }
}

/** The document's address answered with another status: its server, or a proxy on the way. */
export class ClientDocumentStatusError extends ClientDocumentError {
  constructor(status: number) {
    super(`the document's address answered ${status}`);
    this.name = 'ClientDocumentStatusError';
  }
}

export type ClientDocumentFetchOptions = { outgoing?: Outgoing | undefined; dispatcher?: Dispatcher | undefined };

export type ClientDocumentFetch = ReturnType<typeof createClientDocumentFetch>;

/**
 * Fetches client ID metadata documents (draft-ietf-oauth-client-id-metadata-document) instead of oidc-provider: https
 * only, public addresses only (literals and resolved names), no redirect, 5 KiB, 3 s. The rules of registrations apply,
 * since real documents name grant types that we do not have.
 * @param options.dispatcher replaces the guarded one in tests, which have no public address to publish a document at
 */
export function createClientDocumentFetch({ outgoing, dispatcher }: ClientDocumentFetchOptions) {
  const guarded =
    dispatcher ??
    createGuardedDispatcher({ allowAddresses: [], connectTimeoutMs: timeoutMs, connections: 4, outgoing });

  return {
    /** @throws ClientDocumentError, or the error of the connection */
    async fetch(address: string): Promise<FetchedDocument> {
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
        throw new ClientDocumentStatusError(answer.statusCode);
      }
      const tooLarge = () => new ClientDocumentError(`the document is larger than ${maxDocumentBytes} bytes`);
      const text = (await readBounded(answer.body, maxDocumentBytes, tooLarge)).toString('utf8');
      const cacheControl = answer.headers['cache-control'];
      return {
        metadata: readDocument(url, JSON.parse(text)),
        cacheControl: typeof cacheControl === 'string' ? cacheControl : undefined,
      };
    },
    close: async () => {
      // the caller closes a dispatcher of its own
      if (!dispatcher) await guarded.destroy();
    },
  };
}

function readDocument(url: URL, given: unknown): PublicMetadata {
  const document = isRecord(given) ? withoutNullMembers(given) : undefined;
  if (document?.['client_id'] !== url.href) {
    throw new ClientDocumentError('client_id in the document must be the address of the document');
  }
  if ('client_secret' in document || !canBePublic(document)) {
    throw new ClientDocumentError('only public clients (token_endpoint_auth_method none) may use a metadata document');
  }
  const read = readClientMetadata(document);
  if ('error' in read) throw new ClientDocumentError(read.description);
  return { ...read.metadata, token_endpoint_auth_method: 'none' };
}

/** ChatGPT's document names private_key_jwt as its method and also lists `none`: such a client may be public too. */
function canBePublic(document: Record<string, unknown>): boolean {
  const supported = document['token_endpoint_auth_methods_supported'];
  if (Array.isArray(supported) && supported.includes('none')) return true;
  return String(document['token_endpoint_auth_method'] ?? 'none') === 'none';
}
