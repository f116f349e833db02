/** The parts of the usage statistics that show whether a client has arrived. */
export type Usage = {
  answeredToolCalls: number;
  lastCallAt: string | null;
  lastClientAt: string | null;
  usageByMcp: readonly { mcpId: string; toolCalls: number; answeredToolCalls: number; lastClientAt: string | null }[];
};

/**
 * none: no call has come. unproven: only calls that were refused or failed, or came from this website. answered: a
 * client got an answer, so the link works.
 */
export type CallsSoFar = { state: 'none' | 'unproven' | 'answered'; calls: number; clientAt: string | null };

export const firstCallPollMs = 2_000;

/**
 * Counts the answered tool calls of one service, or of all. For all, a prompt or resource that a client has read proves
 * the link too.
 */
export function callsSoFar(usage: Usage | undefined, serverId: string | undefined): CallsSoFar {
  if (!usage) return { state: 'none', calls: 0, clientAt: null };
  if (serverId === undefined) {
    const { answeredToolCalls, lastCallAt, lastClientAt } = usage;
    return stateOf(lastCallAt !== null, answeredToolCalls, lastClientAt);
  }
  const own = usage.usageByMcp.find(({ mcpId }) => mcpId === serverId);
  return stateOf((own?.toolCalls ?? 0) > 0, own?.answeredToolCalls ?? 0, own?.lastClientAt ?? null);
}

function stateOf(wasCalled: boolean, calls: number, clientAt: string | null): CallsSoFar {
  return { state: clientAt !== null ? 'answered' : wasCalled ? 'unproven' : 'none', calls, clientAt };
}
