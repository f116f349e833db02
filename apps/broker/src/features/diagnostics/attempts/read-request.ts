import type { IncomingHttpHeaders } from 'node:http';
import type { McpRequest } from '#features/gateway/index.ts';
import { cleanLabel } from '#platform/text/clean-label.ts';
import { shortVersion } from '#platform/text/client-name.ts';
import { asRecord } from '#platform/json.ts';
import type { AttemptEvent, Failure } from './attempt-event.ts';
import { clientInfoOf } from './name-program.ts';

const versionPattern = /^\d{4}-\d{2}-\d{2}$/;

/** Each message of 2026-07-28 and later names its version; sessions before it are opened by initialize. */
export function isModernVersion(version: string | string[] | undefined): boolean {
  return typeof version === 'string' && version >= '2026-07-28' && versionPattern.test(version);
}

/** Era and protocol version of a request, and the version that the program tells of itself. */
export function describeOpening(request: McpRequest): Pick<AttemptEvent, 'era' | 'protocolVersion' | 'clientVersion'> {
  const header = request.headers['mcp-protocol-version'];
  const params = paramsOf(request);
  const asked = params?.['protocolVersion'];
  const version = [header, asked].find((one) => typeof one === 'string' && versionPattern.test(one));
  const clientVersion = versionOf(request);
  return {
    ...(typeof version === 'string' && {
      protocolVersion: version,
      era: isModernVersion(version) ? 'modern' : 'legacy',
    }),
    ...(clientVersion !== '' && { clientVersion }),
  };
}

/** The version that the program tells of itself, shortened; '' where it tells none. */
export function versionOf(request: McpRequest): string {
  return shortVersion(asRecord(clientInfoOf(request.body))?.['version']);
}

function paramsOf({ body }: McpRequest): Record<string, unknown> | undefined {
  const message: unknown = Array.isArray(body) ? body[0] : body;
  return asRecord(asRecord(message)?.['params']);
}

/** Why a request with a good token was answered with an error, as far as its client caused it. */
export function requestFailure(headers: IncomingHttpHeaders, status: number): Failure | undefined {
  const version = headers['mcp-protocol-version'];
  switch (status) {
    case 404:
      return headers['mcp-session-id'] !== undefined && !isModernVersion(version)
        ? { step: 'era', reason: 'unknown-session' }
        : undefined;
    case 406:
      return {
        step: 'first-request',
        reason: 'wrong-accept',
        facts: { accept: cleanLabel(headers.accept) || 'empty' },
      };
    case 415:
      return { step: 'first-request', reason: 'wrong-content-type' };
    case 400:
      return typeof version === 'string' && !knownVersions.has(version)
        ? { step: 'era', reason: 'unsupported-version', facts: { asked: cleanLabel(version) } }
        : { step: 'first-request', reason: 'bad-request', facts: { status: '400' } };
    case 413:
      return { step: 'first-request', reason: 'bad-request', facts: { status: '413, too large' } };
    default:
      // 405 is how clients learn that there is no stream to open; 429 and 5xx are no fault of how it connects
      return undefined;
  }
}

const knownVersions: ReadonlySet<string> = new Set([
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  '2025-11-25',
  '2026-07-28',
]);
