import { getCapabilities, getHealth } from '@souk/contract/catalogue/catalogue.ts';
import { waitUntil } from '../apps/broker/src/testing/wait-until.ts';

/**
 * Waits until every deployed service is discovered and connected: the first start discovers them one by one. Reads only the
 * counts, because reading the whole catalogue as often would exceed the limit of an address.
 * @param count the least number of services: with STDIO=off those that are not programs
 */
export async function untilAllConnected(publicUrl: string, count = 9): Promise<void> {
  const connected = waitUntil('every service to be connected', async () => {
    const answer = await fetch(`${publicUrl}/mcp/health`);
    const { server, connections } = getHealth.answer.parse(await answer.json());
    return server.serverCount >= count && connections.connected === server.serverCount;
  });
  await connected.catch(async (cause: unknown) => {
    throw new Error(`not connected: ${await othersOf(publicUrl)}`, { cause });
  });
}

/** Lists the services that are not connected, with the public reason. */
async function othersOf(publicUrl: string): Promise<string> {
  const answer = await fetch(`${publicUrl}${getCapabilities.path}`);
  const { servers } = getCapabilities.answer.parse(await answer.json());
  return servers
    .filter(({ status }) => status !== 'connected')
    .map(({ serverId, status, statusDetail }) => `${serverId} ${status} (${statusDetail})`)
    .join(', ');
}
