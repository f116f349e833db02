import type { Query } from '#platform/db/database.ts';

/** How one part of the product exports and erases what it stores about a user. */
export type AccountContributor = {
  /** Name of its part of the export, in camelCase. */
  name: string;
  /** Everything stored about this user, as JSON; a long list in pages. Never a secret, sealed or not. */
  export(userId: string): Promise<unknown> | AsyncIterable<readonly unknown[]>;
  /**
   * Runs in the transaction of the deletion: if it throws, nothing is deleted. What must stay keeps the bare user id.
   * @param address the e-mail address, which must not remain anywhere
   */
  erase(userId: string, query: Query, address: string): Promise<unknown>;
  /** Deletes what is outside the database, such as files. Runs once the account is deleted. */
  afterErase?(userId: string): Promise<void>;
};

export type AccountContributors = ReturnType<typeof createAccountContributors>;

/** The list of contributors. app.ts fills it, because identity may not import the features above it. */
export function createAccountContributors() {
  const contributors: AccountContributor[] = [];
  return {
    /** @throws Error when the name is taken: each part has its own key in the export */
    add(contributor: AccountContributor): void {
      if (contributors.some(({ name }) => name === contributor.name)) {
        throw new Error(`${contributor.name} contributes to accounts already`);
      }
      contributors.push(contributor);
    },
    all: (): readonly AccountContributor[] => contributors,
  };
}
