import { createHmac } from 'node:crypto';

/**
 * The name by which one server knows a person. It does not reveal who they are and differs from server to server, so
 * that two servers cannot combine what they know.
 * @param key of this installation, the same after a restart: a server files a person's data under this name
 * @returns 43 characters of base64url
 */
export function pseudonymOf(userId: string, serverId: string, key: Uint8Array): string {
  return createHmac('sha256', key).update(`${userId}\n${serverId}`).digest('base64url');
}
