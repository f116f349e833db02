import { getCapabilities, getHealth } from '@souk/contract/catalogue/catalogue.ts';
import { waitUntil } from '../apps/broker/src/testing/wait-until.ts';

/**
 * Waits until every deployed service is discovered and connected: the first start discovers them one by one. Asks for the
 * counts alone: the whole catalogue, asked as often, would exceed what an address may ask for.
 * @param count how many there are at least: with STDIO=off those that are no programs
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

/** The services that are not connected, with the reason that visitors are told. */
async function othersOf(publicUrl: string): Promise<string> {
  const answer = await fetch(`${publicUrl}${getCapabilities.path}`);
  const { servers } = getCapabilities.answer.parse(await answer.json());
  return servers
    .filter(({ status }) => status !== 'connected')
    .map(({ serverId, status, statusDetail }) => `${serverId} ${status} (${statusDetail})`)
    .join(', ');
}
