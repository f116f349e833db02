import { z } from 'zod';
import { maxUsersPerPage } from '@souk/contract/admin/users.ts';
import type { Identity } from '#features/identity/index.ts';
import { SoukError } from '#platform/errors.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';
import { accountSchema, chooseAccount } from './choose-account.ts';
import type { Activated, Deactivated, Erased, SignedOut, UserList } from './user-results.ts';
import { operatorName, reasonOfCommand } from './command-reason.ts';

const listSchema = z.object({
  search: z.string().trim().max(200).optional(),
  page: z.int().min(1).max(1_000_000).default(1),
});
const decisionSchema = accountSchema.extend({ reason: reasonOfCommand, operator: operatorName });
const deactivateSchema = decisionSchema.extend({ endNow: z.boolean().default(false) });
const signOutSchema = decisionSchema.extend({ revokeTokens: z.boolean().default(false) });
const eraseSchema = decisionSchema.extend({ confirm: z.string().max(320) });

/**
 * `souk user …`, with the use cases of the administrators' screen.
 * @param parts.isRunning whether a broker runs, and not only the database
 */
export function userCommands(
  { users, directory }: Pick<Identity, 'users' | 'directory'>,
  { isRunning }: { isRunning: boolean },
): OperatorCommands {
  return {
    'user.list': async (args): Promise<UserList> => {
      const { search, page } = listSchema.parse(args);
      const found = await directory.list({ search, page, limit: maxUsersPerPage });
      return { users: found.users, total: found.total, pages: Math.max(1, Math.ceil(found.total / maxUsersPerPage)) };
    },
    'user.deactivate': async (args): Promise<Deactivated> => {
      const { operator, reason, endNow, ...who } = deactivateSchema.parse(args);
      const id = await chooseAccount(users, who);
      // an operator may deactivate administrators, because they control the machine
      const how = { endNow, confirmAdministrator: true };
      return { id, ...(await users.deactivate(id, how, { operator, reason })) };
    },
    'user.activate': async (args): Promise<Activated> => {
      const { operator, reason, ...who } = decisionSchema.parse(args);
      const id = await chooseAccount(users, who);
      return { id, ...(await users.activate(id, { operator, reason })) };
    },
    'user.sign-out': async (args): Promise<SignedOut> => {
      const { operator, reason, revokeTokens, ...who } = signOutSchema.parse(args);
      const id = await chooseAccount(users, who);
      return { id, ...(await users.signOut(id, { revokeTokens }, { operator, reason })) };
    },
    'user.erase': async (args): Promise<Erased> => {
      const { operator, reason, confirm, ...who } = eraseSchema.parse(args);
      // only a broker knows what every feature stores about a user
      if (!isRunning)
        throw new SoukError('unavailable', {
          message: 'Souk does not run here: start it first, so that all data of the user is deleted.',
        });
      const id = await chooseAccount(users, who);
      await users.erase(id, confirm, { operator, reason });
      return { id, result: 'erased' };
    },
  };
}
