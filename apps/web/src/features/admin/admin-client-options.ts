import type { ClientOptions } from '@souk/contract/client.ts';
import { errorCatalogue } from '@souk/contract/errors.ts';
import { accountKey } from '#web/loading/account-key.ts';
import { clientOptions } from '#web/api.ts';

/** No call is sent without a session, and a 403 has a text of its own (spec part 2, section 8). */
export const adminClientOptions: ClientOptions = {
  ...clientOptions,
  needsToken: true,
  forbiddenText: errorCatalogue.admin_required.message,
};

/** First part of the key of every query of the area: a change of a manifest or a user invalidates what it touches. */
export const adminKey = (userId: string) => [...accountKey(userId), 'admin'] as const;
