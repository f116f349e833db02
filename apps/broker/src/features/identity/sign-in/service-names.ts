/** Facts about services on the consent page, from features above. */
export type ServiceNames = {
  nameOf(serverId: string): string | undefined;
  /** Names of the services that the user may use and has not switched off. */
  enabledBy(userId: string): Promise<readonly string[]>;
  /** Reasons why a service's tools would not work for this user. */
  obstaclesOf(userId: string, serverId: string): Promise<{ isOutsidePlan: boolean; needsAccount: boolean }>;
};

export const noServices: ServiceNames = {
  nameOf: () => undefined,
  enabledBy: async () => [],
  obstaclesOf: async () => ({ isOutsidePlan: false, needsAccount: false }),
};
