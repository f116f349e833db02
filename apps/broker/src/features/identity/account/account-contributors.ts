import type { Query } from '#platform/db/database.ts';

/** What one part of the product keeps about a person: how it exports it, and how it forgets it. */
export type AccountContributor = {
  /** Its part of the export, in camelCase. */
  name: string;
  /** Everything kept about this person, as JSON: a long list comes in pages. Never a secret, sealed or not. */
  export(userId: string): Promise<unknown> | AsyncIterable<readonly unknown[]>;
  /**
   * Runs in the transaction of the deletion: where it throws, nothing is deleted. What must stay keeps the bare user id.
   * @param address the e-mail address, which must be nowhere afterwards
   */
  erase(userId: string, query: Query, address: string): Promise<unknown>;
  /** What no transaction can take back, such as files. Runs when the account is deleted. */
  afterErase?(userId: string): Promise<void>;
};

export type AccountContributors = ReturnType<typeof createAccountContributors>;

/** The list that app.ts composes: features above identity join it, since identity may not import them. */
export function createAccountContributors() {
  const contributors: AccountContributor[] = [];
  return {
    /** @throws Error when the name is taken: an export has one part of each. */
    add(contributor: AccountContributor): void {
      if (contributors.some(({ name }) => name === contributor.name)) {
        throw new Error(`${contributor.name} contributes to accounts already`);
      }
      contributors.push(contributor);
    },
    all: (): readonly AccountContributor[] => contributors,
  };
}
