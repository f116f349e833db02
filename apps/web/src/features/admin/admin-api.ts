import { createClient } from '@souk/contract/client.ts';
import { toolChangeEndpoints } from '@souk/contract/tool-changes.ts';
import { accountKey } from '#web/account-key.ts';
import { clientOptions } from '#web/api.ts';

/**
 * The administrator's calls, in a client of their own: only this screen loads their schemas. Without a session none is sent
 * (spec part 2, section 8).
 */
export const adminApi = createClient(toolChangeEndpoints, { ...clientOptions, needsToken: true });

export const toolChangesKey = (userId: string) => [...accountKey(userId), 'tool-changes'];
