import { join } from 'node:path';
import type { Migration } from '#platform/db/database.ts';
import { readStatements } from '#platform/db/read-statements.ts';
import { figureStatements } from './figures/tables.ts';
import { accountFunctions } from './ledger/accounts/account-functions.ts';
import { leaseAnswer, leaseFunctions } from './ledger/leases/lease-functions.ts';

const tablesOf = (room: string) => readStatements(join(import.meta.dirname, room, 'tables.sql'));

export const billingMigrations: readonly Migration[] = [
  {
    name: '0050-billing',
    statements: [
      ...tablesOf('ledger'),
      leaseAnswer,
      ...accountFunctions,
      ...leaseFunctions,
      ...['offers', 'access', 'history', 'checkout', 'subscriptions', 'refunds', 'needs'].flatMap(tablesOf),
      ...figureStatements,
    ],
  },
];
