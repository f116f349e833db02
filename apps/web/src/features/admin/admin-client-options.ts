import type { ClientOptions } from '@souk/contract/client.ts';
import { errorCatalogue } from '@souk/contract/errors.ts';
import { accountKey } from '#web/loading/account-key.ts';
import { clientOptions } from '#web/api.ts';

/** Requires a session, and gives a 403 its own text (spec part 2, section 8). */
export const adminClientOptions: ClientOptions = {
  ...clientOptions,
  needsToken: true,
  forbiddenText: errorCatalogue.admin_required.message,
};

/** Prefix of the key of every query of the area. */
export const adminKey = (userId: string) => [...accountKey(userId), 'admin'] as const;
