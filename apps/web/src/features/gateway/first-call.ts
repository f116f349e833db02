/** The parts of the usage statistics that tell whether a client has arrived. */
export type Usage = {
  answeredToolCalls: number;
  lastCallAt: string | null;
  lastAnsweredAt: string | null;
  usageByMcp: readonly { mcpId: string; toolCalls: number; answeredToolCalls: number }[];
};

/** none: no call has come; unanswered: only calls that were refused or failed; answered: the link works. */
export type CallsSoFar = { state: 'none' | 'unanswered' | 'answered'; calls: number };

/** Asked again this often until the first call is answered. */
export const firstCallPollMs = 2_000;

/** Answered tool calls so far: of one service, or of all. Where all count, an answered prompt or resource read is a call too. */
export function callsSoFar(usage: Usage | undefined, serverId: string | undefined): CallsSoFar {
  if (!usage) return { state: 'none', calls: 0 };
  if (serverId === undefined) {
    const { answeredToolCalls: calls, lastAnsweredAt, lastCallAt } = usage;
    return { state: lastAnsweredAt !== null ? 'answered' : lastCallAt !== null ? 'unanswered' : 'none', calls };
  }
  const own = usage.usageByMcp.find(({ mcpId }) => mcpId === serverId);
  const calls = own?.answeredToolCalls ?? 0;
  return { state: calls > 0 ? 'answered' : (own?.toolCalls ?? 0) > 0 ? 'unanswered' : 'none', calls };
}
