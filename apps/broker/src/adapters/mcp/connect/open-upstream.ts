import {
  Client,
  SdkError,
  SdkErrorCode,
  type JsonSchemaValidatorResult,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { clientInfo, modernRevision } from './client-identity.ts';
import { createUpstream } from './create-upstream.ts';
import type { OpenOptions } from './open-options.ts';
import type { UpstreamTarget } from '../target.ts';
import { HttpTransport } from '../transports/http-transport.ts';
import { StdioTransport } from '../transports/stdio-transport.ts';
import { toUpstreamError } from '../wire/translate-error.ts';
import type { Era, Upstream } from '../upstream.ts';
import { UpstreamError, type UpstreamErrorKind } from '../upstream-error.ts';
import type { UpstreamTransport } from '../transports/upstream-transport.ts';
import { WebSocketTransport } from '../transports/websocket-transport.ts';

/** The shortest remaining time in which another process or socket is worth opening. */
const shortestAttemptMs = 100;

/**
 * Connects to an MCP server of either era and completes its handshake.
 *
 * If the era is unknown, the server is probed with server/discover on the connection that will be used. A server that exits,
 * stays silent or answers with anything but MCP is opened once more as legacy (2026-07-28, Versioning). If the era is known,
 * there is no probe unless the era turns out wrong.
 *
 * @throws UpstreamError: unreachable, timeout, closed, bad_upstream, result_too_large, sign_in_required,
 *   refused_address, protocol, cancelled
 */
export async function openUpstream(target: UpstreamTarget, options: OpenOptions): Promise<Upstream> {
  const deadlineAt = performance.now() + options.connectTimeoutMs;
  // rounded, because an error names it
  const remainingMs = () => Math.max(1, Math.round(deadlineAt - performance.now()));
  const first = options.era ?? 'probe';
  const attempts: ('probe' | Era)[] = first !== 'probe' ? [first, 'probe'] : ['probe', 'legacy'];
  let failure: UpstreamError | undefined;
  for (const [index, mode] of attempts.entries()) {
    const isLast = index === attempts.length - 1;
    const attempt = await tryOpen(target, options, { mode, timeoutMs: remainingMs(), leaveTime: !isLast });
    if (attempt.upstream) return attempt.upstream;
    // a modern server's error about the unknown method initialize is not why it could not be opened
    if (!(failure && mode === 'legacy' && attempt.failure?.kind === 'protocol')) failure = attempt.failure;
    if (!attempt.mayBeOtherEra || remainingMs() < shortestAttemptMs || options.signal?.aborted) break;
  }
  throw failure ?? new UpstreamError('unreachable', 'no attempt was made');
}

type Attempt = { upstream?: Upstream; failure?: UpstreamError; mayBeOtherEra?: boolean };

async function tryOpen(
  target: UpstreamTarget,
  options: OpenOptions,
  how: { mode: 'probe' | Era; timeoutMs: number; leaveTime: boolean },
): Promise<Attempt> {
  const transport = createTransport(target, options, how.timeoutMs);
  // leave time for the older handshake in case the probe gets no answer
  const probeTimeoutMs = options.probeTimeoutMs ?? (how.leaveTime ? how.timeoutMs / 2 : how.timeoutMs);
  const client = new Client(clientInfo, {
    versionNegotiation: { mode: negotiation(how.mode), probe: { timeoutMs: probeTimeoutMs } },
    capabilities: options.clientCapabilities ?? {},
    inputRequired: { autoFulfill: false },
    // We never run an upstream's schema in this process: `^(a+)+$` froze it for 73 s (trap 8).
    jsonSchemaValidator: { getValidator: () => (data) => accept(data) },
  });
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no addEventListener
  client.onerror = (error) =>
    options.log[error instanceof UpstreamError ? 'warn' : 'debug']({ err: error }, 'an upstream reported an error');
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new UpstreamError('timeout', `no handshake within ${options.connectTimeoutMs} ms`));
    }, how.timeoutMs);
  });
  const aborted = rejectOnAbort(options.signal);
  const connecting = client.connect(transport, { timeout: how.timeoutMs });
  try {
    await Promise.race([connecting, deadline, aborted.rejected]);
    return { upstream: createUpstream(client, transport, options) };
  } catch (error) {
    connecting.catch(() => {});
    const failure = toUpstreamError(error, transport.ended);
    await transport.abort();
    return { failure, mayBeOtherEra: mayBeOtherEra(how.mode, failure, error) };
  } finally {
    clearTimeout(timer);
    aborted.dispose();
  }
}

function rejectOnAbort(signal: AbortSignal | undefined): { rejected: Promise<never>; dispose(): void } {
  const { promise: rejected, reject } = Promise.withResolvers<never>();
  // it may reject after the race
  rejected.catch(() => {});
  const onAbort = () => reject(new UpstreamError('cancelled', 'the handshake was canceled'));
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort);
  return { rejected, dispose: () => signal?.removeEventListener('abort', onAbort) };
}

function negotiation(mode: 'probe' | Era): VersionNegotiationMode {
  if (mode === 'probe') return 'auto';
  return mode === 'legacy' ? 'legacy' : { pin: modernRevision };
}

const mayComeFromProbe: ReadonlySet<UpstreamErrorKind> = new Set(['timeout', 'closed', 'bad_upstream', 'protocol']);

/** Whether a server of the other era would fail in this way. */
function mayBeOtherEra(mode: 'probe' | Era, failure: UpstreamError, error: unknown): boolean {
  switch (mode) {
    // a modern-only server answers initialize with a JSON-RPC error (-32022, -32601)
    case 'legacy':
      return failure.kind === 'protocol';
    case 'modern':
      return (
        error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed && failure.kind === 'bad_upstream'
      );
    // some older servers exit, hang up or fail at a request before initialize, or stay silent
    case 'probe':
      return mayComeFromProbe.has(failure.kind);
  }
}

function createTransport(target: UpstreamTarget, options: OpenOptions, connectTimeoutMs: number): UpstreamTransport {
  const { maxResultBytes, onDiagnostics } = options;
  const { pace } = options.notices;
  switch (target.type) {
    case 'stdio':
      return new StdioTransport({ ...target, maxResultBytes, pace, onDiagnostics });
    case 'http':
      return new HttpTransport({
        ...target,
        url: parseUrl(target.url, ['http:', 'https:']),
        connectTimeoutMs,
        maxResultBytes,
        pace,
      });
    case 'websocket':
      return new WebSocketTransport({
        ...target,
        url: parseUrl(target.url, ['ws:', 'wss:']),
        connectTimeoutMs,
        maxResultBytes,
        pace,
      });
  }
}

function parseUrl(text: string, protocols: readonly string[]): URL {
  const url = URL.parse(text);
  if (!url || !protocols.includes(url.protocol))
    throw new UpstreamError('refused_address', `not an address of ${protocols.join(' ')}`);
  return url;
}

function accept<T>(data: unknown): JsonSchemaValidatorResult<T> {
  // why the cast: the SDK wants a proof of T, but this code passes the value on without reading it
  return { valid: true, data: data as T, errorMessage: undefined };
}
