/** What the consent page says of services: from features that stand above this one. */
export type ServiceNames = {
  nameOf(serverId: string): string | undefined;
  /** Of every service that the user may use and has not switched off. */
  enabledBy(userId: string): Promise<readonly string[]>;
  /** What keeps a service's tools from working for this user. */
  obstaclesOf(userId: string, serverId: string): Promise<{ isOutsidePlan: boolean; needsAccount: boolean }>;
};
