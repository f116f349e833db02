import type { Migration } from '#platform/db/database.ts';

/**
 * `welcomed_addresses`: which addresses have had welcome credits, as keyed fingerprints with neither a user nor a time. They stay
 * when an account is deleted, so that an address has the credits once.
 */
export const welcomeMigrations: readonly Migration[] = [
  {
    name: '0240-billing-welcomed-addresses',
    statements: [
      `create table welcomed_addresses (
        fingerprint text not null,
        livemode boolean not null,
        primary key (fingerprint, livemode)
      )`,
    ],
  },
];
