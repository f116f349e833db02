/** The parts of the usage statistics that tell whether a client has arrived. */
export type Usage = {
  totalToolCalls: number;
  lastCallAt: string | null;
  usageByMcp: readonly { mcpId: string; toolCalls: number }[];
};

/** Asked again this often until the first call comes. */
export const firstCallPollMs = 2_000;

/** Tool calls so far: of one service, or of all. A prompt or a resource read is a call too where all count. */
export function callsSoFar(usage: Usage | undefined, serverId: string | undefined): { came: boolean; calls: number } {
  if (!usage) return { came: false, calls: 0 };
  if (serverId === undefined) return { came: usage.lastCallAt !== null, calls: usage.totalToolCalls };
  const calls = usage.usageByMcp.find(({ mcpId }) => mcpId === serverId)?.toolCalls ?? 0;
  return { came: calls > 0, calls };
}
