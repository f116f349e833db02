import { setTimeout as pause } from 'node:timers/promises';
import { getCapabilities } from '@souk/contract/catalogue.ts';
import { waitUntil } from '../apps/broker/src/testing/wait-until.ts';

/**
 * Waits until every deployed service is discovered and connected: the first start discovers them one by one.
 * @param count how many there are at least: with STDIO=off those that are no programs
 */
export async function untilAllConnected(publicUrl: string, count = 9): Promise<void> {
  const statuses = async () => {
    const answer = await fetch(`${publicUrl}/mcp/capabilities`);
    return getCapabilities.answer.parse(await answer.json()).servers;
  };
  await waitUntil('every service to be connected', async () => {
    const servers = await statuses();
    const isThere = servers.length >= count && servers.every(({ status }) => status === 'connected');
    // it takes seconds, and each answer is of all that there is
    if (!isThere) await pause(100);
    return isThere;
  });
}
