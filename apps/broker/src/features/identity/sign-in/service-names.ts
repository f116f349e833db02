/** What the consent page says about services, from features above this one. */
export type ServiceNames = {
  nameOf(serverId: string): string | undefined;
  /** Names of the services that the user may use and has not switched off. */
  enabledBy(userId: string): Promise<readonly string[]>;
  /** What keeps a service's tools from working for this user. */
  obstaclesOf(userId: string, serverId: string): Promise<{ isOutsidePlan: boolean; needsAccount: boolean }>;
};

export const noServices: ServiceNames = {
  nameOf: () => undefined,
  enabledBy: async () => [],
  obstaclesOf: async () => ({ isOutsidePlan: false, needsAccount: false }),
};
