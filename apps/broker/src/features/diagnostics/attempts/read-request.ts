import type { IncomingHttpHeaders } from 'node:http';
import { isModernVersion, type McpRequest } from '#features/gateway/index.ts';
import { cleanLabel } from '#platform/text/clean-label.ts';
import { shortVersion } from '#platform/text/client-name.ts';
import { asRecord } from '#platform/json.ts';
import type { AttemptEvent, Failure } from './attempt-event.ts';
import { clientInfoOf, paramsOf } from './name-program.ts';

const versionPattern = /^\d{4}-\d{2}-\d{2}$/;

export function describeOpening(request: McpRequest): Pick<AttemptEvent, 'era' | 'protocolVersion' | 'clientVersion'> {
  const header = request.headers['mcp-protocol-version'];
  const asked = paramsOf(request.body)?.['protocolVersion'];
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

/** The program's own version, shortened; '' if it does not report one. */
export function versionOf(request: McpRequest): string {
  return shortVersion(asRecord(clientInfoOf(request.body))?.['version']);
}

/** Why a request with a valid token was answered with an error, if its client caused it. */
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
      // clients learn from 405 that there is no stream to open; 429 and 5xx do not concern how they connect
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
