import { RefusedAddressError } from '#platform/http/outgoing/address-guard.ts';
import { ProxyError } from '#platform/http/outgoing/open-tunnel.ts';
import { codeOrName } from '#platform/thrown.ts';
import { ClientDocumentError, ClientDocumentStatusError } from './fetch-client-document.ts';

/** The document is at a private address, which no operator can let the broker fetch. */
export const addressNotPublic = "the document's address is not public";

/**
 * Says in a few words, for users, why a client's metadata document could not be used. The log has the error itself:
 * what a name resolves to and the proxy's address are for the operator alone.
 */
export function describeDocumentFault(error: unknown): string {
  if (error instanceof ClientDocumentError) return error.message;
  if (error instanceof SyntaxError) return 'the document is not JSON';
  if (error instanceof RefusedAddressError) return addressNotPublic;
  if (error instanceof ProxyError) return 'the outgoing proxy opened no connection to it';
  const code = codeOrName(error);
  if (['ENOTFOUND', 'EAI_AGAIN'].includes(code)) return "the name of the document's host cannot be resolved here";
  if (['TimeoutError', 'AbortError', 'UND_ERR_CONNECT_TIMEOUT'].includes(code)) return 'no answer in time';
  return `no connection (${code})`;
}

/** Public facts about a document that could not be used. */
export type PublicFault = { kind: 'unfetched' | 'unusable'; fault: string | undefined };

/**
 * Describes a fault for the error page, which anyone may open with any address: it must not reveal whether a name
 * resolves here, and to what.
 * @param cause error of the fetch; undefined when nothing was fetched, because no client can have that address
 */
export function publicFaultOf(cause: unknown): PublicFault {
  if (cause instanceof ClientDocumentStatusError) return { kind: 'unfetched', fault: cause.message };
  if (cause === undefined || cause instanceof ClientDocumentError || cause instanceof SyntaxError) {
    return { kind: 'unusable', fault: cause && describeDocumentFault(cause) };
  }
  return { kind: 'unfetched', fault: undefined };
}
