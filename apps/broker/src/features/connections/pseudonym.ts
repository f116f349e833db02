import { createHmac } from 'node:crypto';

/**
 * Under what name one server knows a person: it says nothing about who that is, and is another one at each server, so
 * that two of them cannot join what they know.
 * @param key of this installation, the same after a restart: what a server keeps for a person hangs on the name
 * @returns 43 characters of base64url
 */
export function pseudonymOf(userId: string, serverId: string, key: Uint8Array): string {
  return createHmac('sha256', key).update(`${userId}\n${serverId}`).digest('base64url');
}
