/** Facts about services on the consent page, from features above. */
export type ServiceNames = {
  nameOf(serverId: string): string | undefined;
  /** Names of the services that the user may use and has not switched off. */
  enabledBy(userId: string): Promise<readonly string[]>;
  obstaclesOf(userId: string, serverId: string): Promise<{ isOutsidePlan: boolean; needsAccount: boolean }>;
};

export const noServices: ServiceNames = {
  nameOf: () => undefined,
  enabledBy: async () => [],
  obstaclesOf: async () => ({ isOutsidePlan: false, needsAccount: false }),
};
