import { join } from 'node:path';
import type { Migration } from '#platform/db/database.ts';
import { readStatements } from '#platform/db/read-statements.ts';
import { figureStatements } from './administration/figures/tables.ts';
import { accountFunctions } from './credits/accounts/account-functions.ts';
import { leaseAnswer, leaseFunctions } from './credits/leases/lease-functions.ts';

const tablesOf = (folder: string) => readStatements(join(import.meta.dirname, folder, 'tables.sql'));

export const billingMigrations: readonly Migration[] = [
  {
    name: '0050-billing',
    statements: [
      ...tablesOf('credits'),
      leaseAnswer,
      ...accountFunctions,
      ...leaseFunctions,
      ...tablesOf('shop/offers'),
      ...tablesOf('entitlement'),
      ...['history', 'checkout', 'subscriptions', 'refunds', 'needs'].flatMap((folder) => tablesOf(`shop/${folder}`)),
      ...figureStatements,
    ],
  },
];
