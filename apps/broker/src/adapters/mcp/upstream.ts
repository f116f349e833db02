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
import type { Cancellation } from '#platform/cancellation.ts';

export { slowMs } from './fast/deadline.ts';
export { mirrorsArguments } from './mirrors-arguments.ts';

/** `legacy`: revisions up to 2025-11-25, opened by initialize. `modern`: 2026-07-28, stateless. */
export type Era = 'legacy' | 'modern';

/** From the most to the least verbose (RFC 5424, section 6.2.1). */
export const logLevels: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

/** A question of a server up to 2025-11-25 during a call. */
export type Ask = {
  method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  params: Record<string, unknown>;
};

/** The client that a server may ask and notify during a call. */
export type Asking = NoticeListener & {
  /** Identifies the client among the user's clients. Needed for a question that does not name its call. */
  readonly client?: string;
  /** Answers the server's question; the silence limit pauses meanwhile. `signal` aborts when the server withdraws it. */
  onAsk?: ((ask: Ask, signal: AbortSignal) => Promise<Record<string, unknown>>) | undefined;
};

/**
 * Whether the client's stream takes a notice: `busy` while the client has not read the last ones, `gone` once the stream
 * has ended.
 */
export type Listening = 'ready' | 'busy' | 'gone';

/** The client that gets a call's progress and log messages, at a limited rate (notices/). */
export type NoticeListener = {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  onLog?: ((message: LoggingMessageNotification['params']) => void) | undefined;
  /** Undefined: always ready. Notices to a client that is gone are dropped, and extend no deadline. */
  listening?(): Listening;
};

export type CallerSignal = AbortSignal | Cancellation;

export type CallOptions = Asking & {
  readonly signal: CallerSignal;
  /** Longest silence of the server. Progress restarts it while the client listens. */
  readonly timeoutMs: number;
  /** Total limit, which progress does not extend. */
  readonly totalTimeoutMs: number;
  /** The calling client's capabilities: sent with each request to modern upstreams, never to legacy ones. */
  readonly clientCapabilities?: ClientCapabilities | undefined;
  /** The log messages to request. Undefined: a modern server sends none, a legacy one sends what it chooses. */
  readonly logLevel?: LoggingLevel | undefined;
};

export type ToolCallOptions = CallOptions & {
  /** The definition from the upstream's list: its x-mcp-header arguments are mirrored as headers (SEP-2243). */
  readonly toolDefinition?: Tool;
  /** The allowed JSON types of structuredContent; undefined if it may be absent. Other results throw `bad_result`. */
  readonly resultTypes?: readonly string[] | undefined;
  /** Rewrites links to the server's resources for the client. Only called for results that may contain links. */
  expose?(result: CallToolResult): CallToolResult;
  /** Called once, after the call has lasted a second. */
  onSlow?(): void;
};

/**
 * The answer to a tools/call, as facts; a JSON-RPC error of the server is an UpstreamError `protocol`. A result can be
 * read as text or as an object and is converted only on demand: most are passed on unchanged.
 */
export type ToolAnswer = ToolResult | ToolQuestions;

export type ToolResult = {
  readonly kind: 'complete' | 'tool_error';
  /** JSON text of the result's members except `_meta` and `resultType`, comma-separated; empty if there are none. */
  readonly members: string;
  /** The server's `_meta` as its client may see it (wire/tool-answer.ts); undefined if not sent. */
  readonly meta: Record<string, unknown> | undefined;
  toResult(): CallToolResult;
};

/** A modern server needs input from the client: the caller repeats the call with inputResponses. */
type ToolQuestions = { readonly kind: 'input_required'; readonly questions: InputRequiredResult };

/** The second round of a call that a modern upstream answered with input_required. */
type InputRound = { inputResponses?: InputResponses; requestState?: string };

export type ToolParams = CallToolRequest['params'] & InputRound;

export type ResourceWatcher = {
  /** The resource, or a sub-resource of it, changed. */
  onUpdated(uri: string): void;
  /** The server ended the subscription, or the upstream connection ended. Not called after unsubscribing. */
  onEnded(): void;
};

/** A definition that was left out of a list. `reason` is text to follow its name. */
export type LeftOut = { kind: 'tool' | 'prompt' | 'resource' | 'template'; name: string; reason: string };

/** A tool that is listed without some keywords of its schemas, and the places of those keywords. */
export type MendedTool = { name: string; places: string[] };

/** One open connection to an MCP server. Its methods reject only with UpstreamError. */
export type Upstream = {
  readonly era: Era;
  readonly protocolVersion: string;
  /** Undefined for a modern server that does not send it. */
  readonly serverInfo: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
  /** Process id of a stdio server (also its process group). */
  readonly pid: number | undefined;
  listTools(): Promise<Tool[]>;
  listPrompts(): Promise<Prompt[]>;
  listResources(): Promise<Resource[]>;
  listResourceTemplates(): Promise<ResourceTemplateType[]>;
  /** The invalid definitions of the lists that were read last. Only these are left out. */
  leftOut(): LeftOut[];
  /** The tools of the list that was read last whose schemas were mended. */
  mended(): MendedTool[];
  /** Chooses between the fast path (undici, HTTP only) and the SDK's client. No other code makes this choice. */
  callTool(params: ToolParams, options: ToolCallOptions): Promise<ToolAnswer>;
  getPrompt(
    params: GetPromptRequest['params'] & InputRound,
    options: CallOptions,
  ): Promise<GetPromptResult | InputRequiredResult>;
  readResource(
    params: ReadResourceRequest['params'] & InputRound,
    options: CallOptions,
  ): Promise<ReadResourceResult | InputRequiredResult>;
  complete(params: CompleteRequest['params'], options: CallOptions): Promise<CompleteResult>;
  /** Subscribes to a resource. Resolves with a function that unsubscribes. */
  watchResource(uri: string, watcher: ResourceWatcher): Promise<() => Promise<void>>;
  /** Sends the notice that the client's roots changed (up to 2025-11-25). Never rejects. */
  announceRoots(): Promise<void>;
  /** A real round trip: ping on a legacy connection, server/discover on a modern one. */
  ping(timeoutMs: number): Promise<void>;
  /** Closes the connection. Resolves when its process, sockets and timers have ended. Never rejects. */
  close(): Promise<void>;
};
