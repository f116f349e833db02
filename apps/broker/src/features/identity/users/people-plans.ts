/** What the list of users asks a feature above about plans. */
export type PeoplePlans = {
  /** The highest running plan of each; those without one are left out. */
  plansOf(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * A condition for a statement about users: whether this plan runs.
   * @param planId undefined: any plan
   * @param userId the user's id in the statement, such as `u.id`
   * @param bind adds a value to the statement and answers its place, such as `$3`
   */
  hasPlan(planId: string | undefined, userId: string, bind: (value: unknown) => string): string;
};

/** Where nothing is sold. */
export const noPlans: PeoplePlans = { plansOf: async () => new Map(), hasPlan: () => 'false' };
