/** Plans in the list of users, from a feature above. */
export type PeoplePlans = {
  /** Highest running plan of each user; users without one are missing. */
  plansOf(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * Returns an SQL condition: whether the user has this plan.
   * @param planId undefined: any plan
   * @param userId the user's id in the statement, such as `u.id`
   * @param bind adds a value to the statement and returns its placeholder, such as `$3`
   */
  hasPlan(planId: string | undefined, userId: string, bind: (value: unknown) => string): string;
};

/** Plans of an installation that sells nothing. */
export const noPlans: PeoplePlans = { plansOf: async () => new Map(), hasPlan: () => 'false' };
