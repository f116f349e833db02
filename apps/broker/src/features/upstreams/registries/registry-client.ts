import { request, type Dispatcher } from 'undici';
import { RefusedAddressError } from '#platform/http/outgoing/address-guard.ts';
import { isTooDeep } from '#platform/http/json-depth.ts';
import { readBounded } from '#platform/http/outgoing/read-bounded.ts';
import { asRecord, isRecord, parseObject } from '#platform/json.ts';

const timeoutMs = 10_000;
/** Largest answer. A page of 50 servers of the official registry takes 150 KB. */
const maxBytes = 2 * 1024 * 1024;
const serversPerPage = 50;
const maxCursorCharacters = 1000;

/** Thrown when a registry could not be read. The message is for administrators. */
export class RegistryUnavailable extends Error {}

export type RegistryPage = { entries: Record<string, unknown>[]; nextCursor: string | undefined };

export type RegistryQuery = {
  cursor?: string | undefined;
  search?: string | undefined;
  updatedSince?: Date | undefined;
};

/**
 * Reads registries that have the generic registry API v0.1. Their answers are untrusted, and bounded in bytes and time.
 * @param dispatcher a guarded one, which follows no redirect and connects only to allowed addresses
 */
export function createRegistryClient(dispatcher: Dispatcher) {
  return {
    /**
     * Reads a page of the newest versions of servers.
     * @param url the part before /v0.1
     * @throws RegistryUnavailable
     */
    async list(
      url: string,
      { cursor, search, updatedSince }: RegistryQuery,
      signal?: AbortSignal,
    ): Promise<RegistryPage> {
      const query = new URLSearchParams({ limit: String(serversPerPage), version: 'latest' });
      if (cursor !== undefined) query.set('cursor', cursor);
      if (search !== undefined && search !== '') query.set('search', search);
      if (updatedSince) query.set('updated_since', updatedSince.toISOString());
      const answer = await ask(`${url}/v0.1/servers?${query}`, dispatcher, signal);
      // an empty registry answers null
      const servers: unknown = answer?.['servers'] ?? [];
      if (answer?.['servers'] === undefined || !Array.isArray(servers)) throw noRegistry();
      const next = asRecord(answer['metadata'])?.['nextCursor'] ?? asRecord(answer['metadata'])?.['next_cursor'];
      const isCursor = typeof next === 'string' && next !== '' && next.length <= maxCursorCharacters && next !== cursor;
      return {
        entries: servers.slice(0, serversPerPage).filter((entry) => isRecord(entry)),
        nextCursor: isCursor ? next : undefined,
      };
    },
    /**
     * Reads one version of a server, or `latest`, with the registry's metadata.
     * @returns undefined if it does not exist
     * @throws RegistryUnavailable
     */
    find: (
      url: string,
      name: string,
      version: string,
      signal?: AbortSignal,
    ): Promise<Record<string, unknown> | undefined> =>
      ask(
        `${url}/v0.1/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`,
        dispatcher,
        signal,
      ),
  };
}

export type RegistryClient = ReturnType<typeof createRegistryClient>;

const noRegistry = () =>
  new RegistryUnavailable('its answer is not a list of servers: it is not a registry with API v0.1');

/** @returns undefined for 404 */
async function ask(
  address: string,
  dispatcher: Dispatcher,
  signal: AbortSignal | undefined,
): Promise<Record<string, unknown> | undefined> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await request(address, {
      dispatcher,
      headers: { accept: 'application/json' },
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    answer.body.on('error', () => {});
    const refusal = refusalOf(answer);
    if (refusal !== undefined) {
      answer.body.destroy();
      if (answer.statusCode === 404) return undefined;
      throw new RegistryUnavailable(refusal);
    }
    const bytes = await readBounded(
      answer.body,
      maxBytes,
      () => new RegistryUnavailable('its answer is larger than 2 MiB'),
    );
    return readAnswer(bytes);
  } catch (error) {
    throw error instanceof RegistryUnavailable ? error : new RegistryUnavailable(reasonOf(error, timeout.aborted));
  }
}

function refusalOf({ statusCode, headers }: Dispatcher.ResponseData): string | undefined {
  if (statusCode >= 300 && statusCode < 400) {
    const to = URL.parse(String(headers['location'] ?? ''))?.origin;
    return `it redirects to another address${to === undefined ? '' : `, at ${to}`}: add that one`;
  }
  if (statusCode !== 200) return `it answered ${statusCode}`;
  const encoding = String(headers['content-encoding'] ?? 'identity');
  if (encoding !== 'identity') return `it answered compressed (${encoding.slice(0, 20)}), which Souk does not accept`;
  const type = String(headers['content-type'] ?? '').split(';')[0] ?? '';
  if (!/json/.test(type))
    return `it answered ${type === '' ? 'something' : type.slice(0, 60)} instead of JSON: it is not a registry with API v0.1`;
  return undefined;
}

function readAnswer(bytes: Buffer): Record<string, unknown> {
  const text = bytes.toString('utf8');
  if (text.includes('\\u0000') || text.includes('\0')) throw new RegistryUnavailable('its answer has NUL characters');
  if (isTooDeep(text)) throw new RegistryUnavailable('its answer is nested deeper than 64 levels');
  const value = parseObject(text);
  if (!value) throw new RegistryUnavailable('its answer is not valid JSON');
  return value;
}

function reasonOf(error: unknown, isLate: boolean): string {
  if (isLate) return `it did not answer within ${timeoutMs / 1000} s`;
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (cause instanceof RefusedAddressError) return `${cause.message}. ${cause.remedy}`;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no answer';
  return `it cannot be reached (${code})`;
}
