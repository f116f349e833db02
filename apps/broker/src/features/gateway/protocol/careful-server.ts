import {
  ProtocolError,
  Server,
  type ClientCapabilities,
  type JSONRPCRequest,
  type RequestId,
  type Result,
  type ServerContext,
  type ServerOptions,
  type Transport,
} from '@modelcontextprotocol/server';
import { randomInt } from 'node:crypto';
import { asRecord } from '#platform/json.ts';
import { stoppedResult, stoppedText } from '../call/call-failure.ts';
import { stopped } from '../call/open-questions.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { answerClosed, type ClosedLink } from './closed-link.ts';
import { extraOf } from './request-extra.ts';
import { SessionTransport } from './sessions/session-transport.ts';
import { usableCapabilities } from './usable-capabilities.ts';

/** The methods whose outcome call/run-call.ts decides. */
const calls: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

const invalidParams = -32602;
const internalError = -32603;

/**
 * Hides the texts of our own errors, which the SDK's server would send to the client, behind 'Internal error', and answers a
 * request that breaks the schema with one sentence. It also reports each method that succeeded.
 */
export class CarefulServer extends Server {
  readonly #parts: Pick<GatewayParts, 'log' | 'answered' | 'questions'>;
  /** The calls of a session up to 2025-11-25, in which its client can be asked. */
  readonly #calls = new Map<RequestId, AbortController>();
  #isSession = false;
  readonly #whyClosed: () => Promise<ClosedLink | undefined>;
  /** The latest result of getClientCapabilities, with what it was computed from. */
  #latest:
    | { declared: ClientCapabilities | undefined; revision: string | undefined; usable: ClientCapabilities | undefined }
    | undefined;

  /** @param whyClosed checked for each request, because the user may switch the server off during a session */
  constructor(
    identity: { name: string; version: string },
    options: ServerOptions,
    parts: Pick<GatewayParts, 'log' | 'answered' | 'questions'>,
    whyClosed: () => Promise<ClosedLink | undefined>,
  ) {
    super(identity, options);
    // The ids of our questions start at random: another process may ask the same client in the same session. The member is
    // private in the SDK's type.
    Object.assign(this, { _requestMessageId: randomInt(2 ** 21) * 1024 });
    this.#parts = parts;
    this.#whyClosed = whyClosed;
  }

  /** The capabilities that the session's client can use: for some clients, fewer than declared. Every call reads them. */
  override getClientCapabilities(): ClientCapabilities | undefined {
    const declared = super.getClientCapabilities();
    const revision = this.getNegotiatedProtocolVersion();
    if (declared !== this.#latest?.declared || revision !== this.#latest?.revision) {
      this.#latest = { declared, revision, usable: usableCapabilities(declared, this.getClientVersion(), revision) };
    }
    return this.#latest?.usable;
  }

  /** Allows methods that the link does not announce: they get an empty list, or the server's own answer. */
  override assertRequestHandlerCapability(): void {}
  override assertNotificationCapability(): void {}

  override connect(transport: Transport): Promise<void> {
    if (transport instanceof SessionTransport) {
      this.#isSession = true;
      transport.onAsking = (id) => {
        const call = this.#calls.get(id);
        return call ? this.#parts.questions.enter(() => call.abort(stopped)) : () => {};
      };
    }
    return super.connect(transport);
  }

  /** Runs a call of a session. A stop ends it while it waits for its client, whether a legacy server or the SDK asked. */
  async #untilStopped(request: JSONRPCRequest, context: ServerContext, handler: Handler): Promise<Result> {
    const { mcpReq } = context;
    const call = new AbortController();
    const signal = AbortSignal.any([mcpReq.signal, call.signal]);
    this.#calls.set(mcpReq.id, call);
    try {
      return await handler(request, { ...context, mcpReq: { ...mcpReq, signal } });
    } catch (error) {
      if (signal.reason !== stopped || error instanceof ProtocolError) throw error;
      if (request.method === 'tools/call') return stoppedResult();
      throw new ProtocolError(internalError, stoppedText(request.method === 'prompts/get' ? 'prompt' : 'resource'), {
        code: 'stopped',
      });
    } finally {
      this.#calls.delete(mcpReq.id);
    }
  }

  override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, async (request, context) => {
      const closed = await this.#whyClosed();
      const proceed = () => handler(request, context);
      return closed ? answerClosed(method, closed, proceed) : proceed();
    });
    return async (request, context) => {
      try {
        const result = await (this.#isSession && calls.has(method)
          ? this.#untilStopped(request, context, wrapped)
          : wrapped(request, context));
        const { request: served } = extraOf(context.http?.authInfo)?.context ?? {};
        if (!calls.has(method)) this.#parts.answered(served, method);
        return result;
      } catch (error) {
        if (error instanceof ProtocolError) throw error;
        const differences = differencesOf(error);
        if (differences) throw new ProtocolError(invalidParams, `Invalid request ${method}: ${differences.join(', ')}`);
        // a client that hung up causes failures that are not ours
        if (!context.mcpReq.signal.aborted) this.#parts.log.error({ err: error, method }, 'an MCP request failed');
        throw new ProtocolError(internalError, 'Internal error');
      }
    };
  }
}

/**
 * The fields in which a request breaks the schema of its method: SDK 2.4.0 throws their list as the message of a plain
 * Error. Undefined for every other error.
 */
function differencesOf(error: unknown): string[] | undefined {
  if (!(error instanceof Error) || error.name !== 'Error' || !error.message.startsWith('[')) return undefined;
  try {
    const issues: unknown = JSON.parse(error.message);
    return Array.isArray(issues) ? issues.map(pathOf) : undefined;
  } catch {
    return undefined;
  }
}

function pathOf(issue: unknown): string {
  const path = asRecord(issue)?.['path'];
  return Array.isArray(path) ? path.join('.') : '';
}
