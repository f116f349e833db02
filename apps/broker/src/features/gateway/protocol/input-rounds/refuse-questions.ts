import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
} from '@modelcontextprotocol/server';
import { asRecord } from '#platform/json.ts';
import { notAPage, wantsOtherThanPages } from './across-eras.ts';

/**
 * Answers questions for a modern client without any of the capabilities, as the SDK's server does. For calls whose stream is
 * open, which the SDK's server can no longer take over.
 */
export function refuseQuestions(answer: InputRequiredResult): CallToolResult | ProtocolError {
  if (wantsOtherThanPages(answer)) return notAPage();
  for (const [key, question] of Object.entries<unknown>(answer.inputRequests ?? {})) {
    const { method, params } = asRecord(question) ?? {};
    const requiredCapabilities = neededFor(method, asRecord(params) ?? {});
    if (!requiredCapabilities) return new ProtocolError(-32_603, 'The server asked something that is no question');
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
