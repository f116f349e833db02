import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { cleanLabel } from '#platform/text/clean-label.ts';
import { RefusedAddressError } from '#platform/http/outgoing/address-guard.ts';
import { asRecord, parseObject } from '#platform/json.ts';
import { isBadResult } from './promised-result.ts';
import { UpstreamError } from '../upstream-error.ts';
import { saysSessionLost } from './says-session-lost.ts';
import { withoutMark } from './byte-order-mark.ts';

/** Errors that mean that the request was not sent. */
const connectFailures: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'EADDRNOTAVAIL',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'ENOENT',
  'EACCES',
  'ENOTDIR',
  'UND_ERR_CONNECT_TIMEOUT',
  'PROXY_ERROR',
]);
const untrusted = 'its certificate is not trusted';
const remedy = 'NODE_EXTRA_CA_CERTS names a file of authorities to trust';
/** TLS errors: the request was not sent. */
const certificateFaults: ReadonlyMap<string, readonly [fault: string, remedy: string]> = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', [untrusted, remedy]],
  ['SELF_SIGNED_CERT_IN_CHAIN', [untrusted, remedy]],
  ['UNABLE_TO_GET_ISSUER_CERT', [untrusted, remedy]],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', [untrusted, remedy]],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', [untrusted, remedy]],
  ['CERT_HAS_EXPIRED', ['its certificate has expired', 'its owner must renew it']],
  ['CERT_NOT_YET_VALID', ['its certificate is not valid yet', 'its clock or the clock of this machine may be wrong']],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    ['its certificate is for another host name', 'the address in the manifest or the certificate must change'],
  ],
]);
/** Errors that mean that the connection broke during an exchange: the server may have acted on the request. */
const brokenConnections: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_DESTROYED']);

/** A server that answers with this may have begun to process the request (JSON-RPC 2.0, section 5.1). */
const internalError = -32603;

/**
 * Turns an error of the SDK, the sockets or the process layer into an UpstreamError.
 * @param ended why the transport ended, if it did: open calls fail with this reason instead of "closed"
 * @param inSession whether the connection has a legacy session
 */
export function toUpstreamError(error: unknown, ended?: UpstreamError, inSession = false): UpstreamError {
  const known = findUpstreamError(error);
  if (known) return known;
  if (error instanceof ProtocolError) {
    const { code, message, data } = error;
    return protocolError({ code, message, data }, { inSession, cause: error });
  }
  if (error instanceof SdkHttpError) return fromHttpStatus(error);
  if (error instanceof SdkError) return fromSdkError(error, ended);
  if (ended) return ended;
  return fromSystemError(error);
}

export function protocolError(
  { code, message, data }: { code: number; message: string; data?: unknown },
  { inSession, cause }: { inSession: boolean; cause?: unknown },
): UpstreamError {
  const text = stripPrefix(message);
  const hasLostSession = inSession && saysSessionLost(code, text);
  const mayHaveRun = hasLostSession && code === internalError;
  return new UpstreamError('protocol', text, { code, data, cause, hasLostSession, mayHaveRun });
}

/** Finds our own error, which may be wrapped: as a cause of undici or the SDK, or as the data of an injected JSON-RPC error. */
function findUpstreamError(error: unknown): UpstreamError | undefined {
  for (let each: unknown = error, depth = 0; depth < 6 && each instanceof Error; each = each.cause, depth++) {
    if (each instanceof UpstreamError) return each;
    if (each instanceof RefusedAddressError) {
      return new UpstreamError('refused_address', `${each.message}. ${each.remedy}`, { cause: error });
    }
    if (each instanceof ProtocolError && each.data instanceof UpstreamError) return each.data;
  }
  return undefined;
}

function fromSdkError(error: SdkError, ended: UpstreamError | undefined): UpstreamError {
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return new UpstreamError('timeout', error.message, { cause: error });
    case SdkErrorCode.ConnectionClosed:
    case SdkErrorCode.NotConnected:
    case SdkErrorCode.SendFailed:
      return ended ?? new UpstreamError('closed', error.message, { cause: error });
    case SdkErrorCode.EraNegotiationFailed:
      return ended ?? fromNegotiation(error);
    default:
      return new UpstreamError(isBadResult(error) ? 'bad_result' : 'bad_upstream', error.message, { cause: error });
  }
}

function fromNegotiation(error: SdkError): UpstreamError {
  const system = fromSystemError(error.cause);
  const isNetwork = system.kind === 'unreachable' || system.kind === 'closed';
  return isNetwork ? system : new UpstreamError('bad_upstream', error.message, { cause: error });
}

function fromHttpStatus(error: SdkHttpError): UpstreamError {
  const answer = readJsonRpcError(error.data?.text);
  if (answer) return new UpstreamError('protocol', answer.message, { ...answer, cause: error });
  return new UpstreamError('bad_upstream', `HTTP ${error.status}`, { cause: error });
}

/** Characters of a server's text that are shown with a status. */
const maxShownChars = 500;
/** JSON-RPC 2.0, section 5.1. */
const invalidRequest = -32600;

/** Statuses about credentials. The texts of such answers may repeat the credentials. */
const credentialStatuses: ReadonlySet<number> = new Set([401, 402, 403, 407]);

/** The error for a call that was refused with a 4xx. Its text, unless it is a page, helps the model correct its arguments. */
export function refusedCall(status: number, text: string): UpstreamError {
  const answer = readJsonRpcError(text);
  if (answer) return new UpstreamError('protocol', answer.message, answer);
  const isSilent = credentialStatuses.has(status) || text.trimStart().startsWith('<');
  const words = isSilent ? '' : cleanLabel(text.slice(0, maxShownChars * 2), maxShownChars);
  if (words === '') return new UpstreamError('bad_upstream', `HTTP ${status}`);
  return new UpstreamError('protocol', `HTTP ${status}: ${words}`, { code: invalidRequest });
}

/** Adds the answer's text to the error of a call that was refused through the SDK's client, which wraps the answer. */
export function withRefusalText(error: unknown): unknown {
  if (!(error instanceof UpstreamError) || error.kind !== 'bad_upstream') return error;
  const { cause } = error;
  const isRefused =
    cause instanceof SdkHttpError && cause.status !== undefined && cause.status >= 400 && cause.status < 500;
  return isRefused ? refusedCall(cause.status, String(cause.data?.text ?? '')) : error;
}

/** The JSON-RPC error in the body of a 4xx, if any (since 2026-07-28 unknown methods are 404 with -32601). */
export function readJsonRpcError(text: unknown): { code: number; message: string; data?: unknown } | undefined {
  const json = typeof text === 'string' ? withoutMark(text) : '';
  if (!json.startsWith('{')) return undefined;
  const { code, message, data } = asRecord(parseObject(json)?.['error']) ?? {};
  if (typeof code !== 'number' || typeof message !== 'string') return undefined;
  return { code, message: stripPrefix(message), data };
}

function fromSystemError(error: unknown): UpstreamError {
  for (let each: unknown = error, depth = 0; depth < 6 && each instanceof Error; each = each.cause, depth++) {
    const code: unknown = 'code' in each ? each.code : undefined;
    if (typeof code === 'string' && connectFailures.has(code)) {
      return new UpstreamError('unreachable', each.message || code, { cause: error });
    }
    const fault = typeof code === 'string' ? certificateFaults.get(code) : undefined;
    if (fault) return new UpstreamError('unreachable', `${fault[0]} (${String(code)}): ${fault[1]}`, { cause: error });
    if (typeof code === 'string' && (code.startsWith('ERR_SSL_') || code === 'EPROTO')) {
      return new UpstreamError('unreachable', `it does not speak TLS at this port (${code})`, { cause: error });
    }
    if (typeof code === 'string' && brokenConnections.has(code)) {
      return new UpstreamError('closed', each.message || code, { cause: error });
    }
    // several addresses were tried, and `errors` has an error for each
    if (each instanceof AggregateError && each.errors.length > 0) return fromSystemError(each.errors[0]);
  }
  const message = error instanceof Error ? error.message : String(error);
  return new UpstreamError('bad_upstream', message, { cause: error });
}

/** SDK 1.x puts "MCP error -32602: " before each message, once per hop. */
export function stripPrefix(message: string): string {
  return message.replace(/^(MCP error -?\d+: )+/, '');
}
