/** The parts of the usage statistics that tell whether a client has arrived. */
export type Usage = {
  answeredToolCalls: number;
  lastCallAt: string | null;
  lastClientAt: string | null;
  usageByMcp: readonly { mcpId: string; toolCalls: number; answeredToolCalls: number; lastClientAt: string | null }[];
};

/**
 * none: no call has come; unproven: only calls that were refused or failed, or that this website made; answered: a client was
 * answered, so the link works.
 */
export type CallsSoFar = { state: 'none' | 'unproven' | 'answered'; calls: number; clientAt: string | null };

/** Asked again this often until the first call is answered. */
export const firstCallPollMs = 2_000;

/**
 * Answered tool calls so far: of one service, or of all. Where all count, a prompt or resource that a client has read proves the
 * link too.
 */
export function callsSoFar(usage: Usage | undefined, serverId: string | undefined): CallsSoFar {
  if (!usage) return { state: 'none', calls: 0, clientAt: null };
  if (serverId === undefined) {
    const { answeredToolCalls, lastCallAt, lastClientAt } = usage;
    return so(lastCallAt !== null, answeredToolCalls, lastClientAt);
  }
  const own = usage.usageByMcp.find(({ mcpId }) => mcpId === serverId);
  return so((own?.toolCalls ?? 0) > 0, own?.answeredToolCalls ?? 0, own?.lastClientAt ?? null);
}

function so(wasCalled: boolean, calls: number, clientAt: string | null): CallsSoFar {
  return { state: clientAt !== null ? 'answered' : wasCalled ? 'unproven' : 'none', calls, clientAt };
}
