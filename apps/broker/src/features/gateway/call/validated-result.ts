import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { ToolAnswer } from '#adapters/mcp/upstream.ts';
import { asRecord } from '#platform/json.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import type { FoundTarget } from './call.ts';

/**
 * Validates a tool's answer against its whole outputSchema, if the server's manifest asks for that (`validateResults`). An
 * answer that cannot be validated is passed on: a slow machine must not lose what a tool has done.
 * @throws UpstreamError bad_result (rejects)
 */
export function validated(
  answering: Promise<ToolAnswer>,
  target: FoundTarget,
  parts: Pick<GatewayParts, 'results'>,
): Promise<ToolAnswer> {
  return target.server.manifest.validateResults ? compare(answering, target, parts) : answering;
}

async function compare(
  answering: Promise<ToolAnswer>,
  { server, name, tool }: FoundTarget,
  { results }: Pick<GatewayParts, 'results'>,
): Promise<ToolAnswer> {
  const answer = await answering;
  const schema = asRecord(tool?.definition['outputSchema']);
  if (answer.kind !== 'complete' || !schema) return answer;
  const fits = await results.fits({ server: server.id, tool: name }, schema, answer.members);
  if (fits === false) throw new UpstreamError('bad_result', 'the structuredContent does not fit the outputSchema');
  return answer;
}
