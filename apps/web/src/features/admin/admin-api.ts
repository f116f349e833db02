import { createClient } from '@souk/contract/client.ts';
import { toolChangeEndpoints } from '@souk/contract/tool-changes.ts';
import { accountKey } from '#web/account-key.ts';
import { clientOptions } from '#web/api.ts';

/** The administrator's calls, in a client of their own: only this screen loads their schemas. */
export const adminApi = createClient(toolChangeEndpoints, clientOptions);

export const toolChangesKey = (userId: string) => [...accountKey(userId), 'tool-changes'];
