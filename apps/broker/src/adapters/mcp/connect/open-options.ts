import type { ClientCapabilities } from '@modelcontextprotocol/client';
import type { Log } from '#platform/log.ts';
import type { ServerNotices } from '../notices/notice-limits.ts';
import type { Era } from '../upstream.ts';
import type { UpstreamError } from '../upstream-error.ts';

export type OpenOptions = {
  /** The era found earlier: skips the probe. If it turns out wrong, the server is probed again. */
  era?: Era;
  /** Time from the first packet (or spawn) to the end of the handshake. */
  connectTimeoutMs: number;
  /** How long a server may be silent at server/discover before it is opened as legacy. By default half of the remaining time. */
  probeTimeoutMs?: number;
  /** Aborts a running handshake, with its process and sockets. */
  signal?: AbortSignal | undefined;
  /** Limit for a whole list, all pages. */
  listTimeoutMs: number;
  /** Limit for one answer, in bytes on the wire. */
  maxResultBytes: number;
  log: Log;
  /** The notices that this server may send, over all its connections. */
  notices: ServerNotices;
  /** Sent in the handshake: a server up to 2025-11-25 asks only for what these capabilities cover. */
  clientCapabilities?: ClientCapabilities;
  /** Whether all calls are from one user: then a message that does not name its call may go to the latest call. */
  ofOnePerson?: boolean;
  onToolListChanged?: () => void;
  onPromptListChanged?: () => void;
  onResourceListChanged?: () => void;
  /** Called once, when the upstream connection ends without a call of `close()`. */
  onClosed?: (why: UpstreamError | undefined) => void;
  /** Receives the lines that a stdio server writes to stderr: cut to 8 KiB each, at most 100 a second. */
  onDiagnostics?: (lines: readonly string[]) => void;
};
