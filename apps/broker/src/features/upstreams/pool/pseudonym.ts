import { createHmac } from 'node:crypto';

/**
 * Returns the name by which one server knows a user. It does not reveal who they are, and it differs per server so that
 * two servers cannot combine what they know.
 * @param key this installation's key, which never changes: servers store users' data under their pseudonyms
 * @returns 43 characters of base64url
 */
export function pseudonymOf(userId: string, serverId: string, key: Uint8Array): string {
  return createHmac('sha256', key).update(`${userId}\n${serverId}`).digest('base64url');
}
