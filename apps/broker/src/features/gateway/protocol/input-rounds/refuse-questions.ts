import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
} from '@modelcontextprotocol/server';
import { asRecord } from '#platform/json.ts';
import { hasUnsafeUrl, notAPage } from './across-eras.ts';

/**
 * Refuses a server's questions to a modern client that declares none of the capabilities, as the SDK's server does. Used for
 * calls whose stream is open, which the SDK's server can no longer take over.
 */
export function refuseQuestions(answer: InputRequiredResult): CallToolResult | ProtocolError {
  if (hasUnsafeUrl(answer)) return notAPage();
  for (const [key, question] of Object.entries<unknown>(answer.inputRequests ?? {})) {
    const { method, params } = asRecord(question) ?? {};
    const requiredCapabilities = neededFor(method, asRecord(params) ?? {});
    if (!requiredCapabilities) return new ProtocolError(-32_603, 'The server asked for an unknown kind of input');
    const reason = `Cannot request input '${key}' (${String(method)}): the request's client capabilities do not declare the required capability`;
    return new MissingRequiredClientCapabilityError({ requiredCapabilities }, reason);
  }
  return new ProtocolError(-32_603, 'The server asks for another round, which is not possible on a stream');
}

function neededFor(method: unknown, params: Record<string, unknown>): ClientCapabilities | undefined {
  switch (method) {
    case 'elicitation/create':
      return { elicitation: params['mode'] === 'url' ? { url: {} } : { form: {} } };
    case 'sampling/createMessage': {
      const hasTools = params['tools'] !== undefined || params['toolChoice'] !== undefined;
      return { sampling: hasTools ? { tools: {} } : {} };
    }
    case 'roots/list':
      return { roots: {} };
    default:
      return undefined;
  }
}
