import {
  ProtocolError,
  Server,
  type JSONRPCRequest,
  type Result,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server';
import type { Log } from '#platform/log.ts';

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

const invalidParams = -32602;
const internalError = -32603;

/**
 * The SDK's server, which would send the text of every error to the client: of ours nobody learns more than that
 * something went wrong, and a request that is not as the protocol has it is told so in a sentence.
 */
export class CarefulServer extends Server {
  readonly #log: Log;

  constructor(identity: { name: string; version: string }, options: ServerOptions, log: Log) {
    super(identity, options);
    this.#log = log;
  }

  /** What a link does not name is answered all the same: an empty list, or what the server itself says to it. */
  override assertRequestHandlerCapability(): void {}
  override assertNotificationCapability(): void {}

  override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler);
    return async (request, context) => {
      try {
        return await wrapped(request, context);
      } catch (error) {
        if (error instanceof ProtocolError) throw error;
        const differences = differencesOf(error);
        if (differences) throw new ProtocolError(invalidParams, `Invalid request ${method}: ${differences.join(', ')}`);
        // a client that hung up hears nothing, and what fails because of it is no fault
        if (!context.mcpReq.signal.aborted) this.#log.error({ err: error, method }, 'an MCP request failed');
        throw new ProtocolError(internalError, 'Internal error');
      }
    };
  }
}

/**
 * Where a request differs from the schema of its method: SDK 2.4.0 throws the list of differences as the text of a plain
 * error. Undefined for every other error.
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
  const path: unknown = typeof issue === 'object' && issue !== null && 'path' in issue ? issue.path : [];
  return Array.isArray(path) ? path.join('.') : '';
}
