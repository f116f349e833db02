import { mirrorsArguments } from '../mirrors-arguments.ts';
import type { ToolCallOptions, ToolParams } from '../upstream.ts';

/**
 * Whether a tool call can take the fast path. The SDK's client handles the rest: a second round, a log level to set
 * first, names and arguments that must be encoded in headers.
 */
export function goesFast(params: ToolParams, { logLevel, toolDefinition }: ToolCallOptions): boolean {
  if (params.inputResponses || params.requestState !== undefined || logLevel) return false;
  return isHeaderValue(params.name) && !(toolDefinition && mirrorsArguments(toolDefinition));
}

/** Whether the name can be sent in Mcp-Name without encoding. */
function isHeaderValue(name: string): boolean {
  return /^[\x21-\x7e]+$/.test(name) && !name.startsWith('=?');
}
