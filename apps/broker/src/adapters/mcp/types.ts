import type {
  CallToolRequest,
  CallToolResult,
  ClientCapabilities,
  CompleteRequest,
  CompleteResult,
  GetPromptRequest,
  GetPromptResult,
  Implementation,
  InputRequiredResult,
  InputResponses,
  LoggingLevel,
  LoggingMessageNotification,
  Progress,
  Prompt,
  ReadResourceRequest,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  ServerCapabilities,
  Tool,
} from '@modelcontextprotocol/client';
import type { Log } from '#platform/log.ts';
import type { PlainChannel } from './plain/plain-channel.ts';
import type { ResourceWatcher } from './resource-watch.ts';

/** `legacy`: revisions up to 2025-11-25, opened by initialize. `modern`: 2026-07-28, stateless. */
export type Era = 'legacy' | 'modern';

/** What lets one person in at a server. Read anew for each request, since tokens are renewed while a connection lasts. */
export type UpstreamCredential = {
  /** @throws UpstreamError sign_in_required */
  headers(): Promise<Record<string, string>>;
  /** Others in the place of those that the server refused with a 401; undefined when there are none. */
  renew?(refused: Record<string, string>): Promise<Record<string, string> | undefined>;
  /** The sign-in is good and allows too little: `challenge` is the server's, with the scopes that it wants. */
  wantScopes?(challenge: string): Promise<void>;
  /** The renewed ones were refused too. */
  giveUp?(refused: Record<string, string>): Promise<void>;
};

type NetworkTarget = {
  url: string;
  headers: Record<string, string>;
  credential?: UpstreamCredential;
  allowAddresses: readonly string[];
};

/** Where a server is, and everything that may be sent to it: no other header or variable ever is. */
export type UpstreamTarget =
  | ({ type: 'http' } & NetworkTarget)
  /** Its credential is read at the handshake, and renewed there once. */
  | ({ type: 'websocket' } & NetworkTarget)
  /** `env` is the whole environment of the child. */
  | { type: 'stdio'; argv: readonly [string, ...string[]]; cwd: string; env: Record<string, string> };

export type OpenOptions = {
  /** A stored verdict: no probe. A wrong one is found out and probed again. */
  era?: Era;
  /** From the first packet (or spawn) to the end of the handshake. */
  connectTimeoutMs: number;
  /** A whole list, all pages. */
  listTimeoutMs: number;
  /** One answer, in bytes on the wire. */
  maxResultBytes: number;
  log: Log;
  /** What is said of the client at the handshake: a server up to 2025-11-25 asks nothing that is not in it. */
  clientCapabilities?: ClientCapabilities;
  /** Every call is one person's: what the server sends without saying to which call it belongs may go to the latest. */
  ofOnePerson?: boolean;
  onToolListChanged?: () => void;
  onPromptListChanged?: () => void;
  onResourceListChanged?: () => void;
  /** Once, when the connection ends without `close()` having been called. */
  onClosed?: (reason: string) => void;
  /** Lines that a stdio server wrote to stderr: cut to 2 KiB each, at most 100 a second. */
  onDiagnostics?: (lines: readonly string[]) => void;
};

/** What a server up to 2025-11-25 asks in the middle of a call. */
export type Ask = {
  method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  params: Record<string, unknown>;
};

/** Whom a server may ask and tell in the middle of a call. */
export type Asking = {
  /** Names the client among those of one person: a server that does not say which call it asks for needs one of them. */
  readonly client?: string;
  /** Answers a question of the server; the silence that counts as a timeout stands still meanwhile. `signal`: the server no longer wants it. */
  onAsk?(ask: Ask, signal: AbortSignal): Promise<Record<string, unknown>>;
  onLog?(message: LoggingMessageNotification['params']): void;
};

export type CallOptions = Asking & {
  signal: AbortSignal;
  /** Longest silence; progress starts it anew. */
  timeoutMs: number;
  /** The cap that progress cannot move. */
  totalTimeoutMs: number;
  onProgress?: (progress: Progress) => void;
  /** What the person's own client can do (modern upstreams ask per request; legacy ones are told nothing). */
  clientCapabilities?: ClientCapabilities;
  /** Which log messages a server is to send with its answer; undefined: none of a modern one, what it likes of others. */
  logLevel?: LoggingLevel;
};

/** The tool's definition as the upstream listed it: its x-mcp-header arguments are mirrored as headers (SEP-2243). */
type CallToolOptions = CallOptions & { toolDefinition?: Tool };

/** The second round of a call that a modern upstream answered with input_required. */
type InputRound = { inputResponses?: InputResponses; requestState?: string };

/** One open connection to an MCP server. Every method rejects with an UpstreamError and nothing else. */
export type Upstream = {
  readonly era: Era;
  readonly protocolVersion: string;
  /** A modern server need not name itself. */
  readonly serverInfo: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
  /** Process id of a stdio server (also its process group). */
  readonly pid: number | undefined;
  /** For calls that need nothing of the SDK; HTTP alone has it. */
  readonly plain: PlainChannel | undefined;
  listTools(): Promise<Tool[]>;
  listPrompts(): Promise<Prompt[]>;
  listResources(): Promise<Resource[]>;
  listResourceTemplates(): Promise<ResourceTemplateType[]>;
  /** A modern upstream may answer `resultType: 'input_required'`: the caller repeats the call with inputResponses. */
  callTool(
    params: CallToolRequest['params'] & InputRound,
    options: CallToolOptions,
  ): Promise<CallToolResult | InputRequiredResult>;
  getPrompt(
    params: GetPromptRequest['params'] & InputRound,
    options: CallOptions,
  ): Promise<GetPromptResult | InputRequiredResult>;
  readResource(
    params: ReadResourceRequest['params'] & InputRound,
    options: CallOptions,
  ): Promise<ReadResourceResult | InputRequiredResult>;
  complete(params: CompleteRequest['params'], options: CallOptions): Promise<CompleteResult>;
  /** Subscribes to a resource; resolves with what ends the subscription. */
  watchResource(uri: string, watcher: ResourceWatcher): Promise<() => Promise<void>>;
  /** The roots of the client changed (up to 2025-11-25). Never rejects. */
  announceRoots(): Promise<void>;
  /** A real round trip: ping on a legacy connection, server/discover on a modern one. */
  ping(timeoutMs: number): Promise<void>;
  /** Ends the connection; resolves when no process, socket or timer of it is left. Never rejects. */
  close(): Promise<void>;
};
