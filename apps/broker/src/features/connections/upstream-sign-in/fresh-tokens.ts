import * as oidc from 'openid-client';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { StoredConnection } from './connection-store.ts';
import type { SignInAddress } from './discover-sign-in.ts';
import { oidcConfiguration } from './oauth-client.ts';
import { revokeTokens } from './revoke-tokens.ts';
import { withSignInFetch } from './sign-in-fetch.ts';
import type { SignInParts } from './sign-in-parts.ts';
import { expiryOf, sealedTokensSchema, type SealedTokens } from './tokens.ts';

/** Refreshed this long before the end, so that no call meets a token that has just died. */
const refreshAheadMs = 60_000;
/** One who has taken a refresh and not finished by then has died. */
const refreshTimeoutMs = 20_000;
const askAgainMs = 50;

export type FreshTokens = {
  /**
   * The person's access token for a server, refreshed when it is about to end.
   * @throws UpstreamError sign_in_required when there is none for this address; unreachable when it has ended and the
   *   authorization server does not answer
   */
  current(userId: string, serverId: string, address: SignInAddress): Promise<string>;
  /** A token in the place of `refused`; undefined when a new sign-in is needed, which is then stored. */
  renew(userId: string, serverId: string, address: SignInAddress, refused: string): Promise<string | undefined>;
  /** The server refused a token that had just been made: nothing but a new sign-in will do. */
  giveUp(userId: string, serverId: string, refused: string): Promise<void>;
};

/** Tokens that are always fresh. Of everything that asks at once, on all replicas, one refreshes and the others wait for it. */
export function createFreshTokens(parts: SignInParts): FreshTokens {
  const { store, clock } = parts;
  const underWay = new Map<string, Promise<SealedTokens | undefined>>();

  async function find(userId: string, serverId: string, { url }: SignInAddress): Promise<StoredConnection> {
    const connection = await store.find(userId, serverId);
    // Made for another address, it may be another's server by now: a token never goes there.
    if (connection?.kind !== 'oauth' || connection.state !== 'signed-in' || connection.boundTo !== url) {
      throw new UpstreamError('sign_in_required', `${serverId} needs the person's own sign-in`);
    }
    return connection;
  }

  function refreshOnce(connection: StoredConnection, address: SignInAddress): Promise<SealedTokens | undefined> {
    const key = `${connection.id} ${connection.version}`;
    const running = underWay.get(key);
    if (running) return running;
    const work = refreshSomewhere(connection, address).finally(() => underWay.delete(key));
    underWay.set(key, work);
    return work;
  }

  /** Here, or on the replica that was first. */
  async function refreshSomewhere(
    connection: StoredConnection,
    address: SignInAddress,
  ): Promise<SealedTokens | undefined> {
    const { userId, serverId, id, version } = connection;
    const deadlineMs = clock.now() + refreshTimeoutMs;
    for (;;) {
      if (await store.claimRefresh(connection, new Date(clock.now() + refreshTimeoutMs))) {
        return refresh(connection, address, parts);
      }
      const latest = await store.find(userId, serverId);
      if (latest?.id !== id || latest.state !== 'signed-in') return undefined;
      if (latest.version !== version) return tokensOf(latest);
      if (clock.now() > deadlineMs) throw new UpstreamError('unreachable', 'another replica does not end its refresh');
      await new Promise((resolve) => setTimeout(resolve, askAgainMs)); // until the other has stored the new tokens
    }
  }

  return {
    async current(userId, serverId, address) {
      const connection = await find(userId, serverId, address);
      const tokens = tokensOf(connection);
      const leftMs = (connection.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) - clock.now();
      if (leftMs > refreshAheadMs || (leftMs > 0 && tokens.refreshToken === undefined)) return tokens.accessToken;
      try {
        const refreshed = await refreshOnce(connection, address);
        if (refreshed) return refreshed.accessToken;
      } catch (error) {
        // The old one is good for a moment yet: a stumble of the authorization server is no reason to fail a call.
        if (leftMs > 0) return tokens.accessToken;
        throw error;
      }
      throw new UpstreamError('sign_in_required', `the sign-in to ${serverId} has ended`);
    },

    async renew(userId, serverId, address, refused) {
      const connection = await find(userId, serverId, address);
      const tokens = tokensOf(connection);
      if (tokens.accessToken !== refused) return tokens.accessToken;
      return (await refreshOnce(connection, address))?.accessToken;
    },

    async giveUp(userId, serverId, refused) {
      const connection = await store.find(userId, serverId);
      if (connection?.kind !== 'oauth' || connection.state !== 'signed-in') return;
      if (tokensOf(connection).accessToken !== refused) return;
      await endConnection(connection, 'The server refuses the sign-in.', parts);
    },
  };
}

function tokensOf(connection: StoredConnection): SealedTokens {
  return sealedTokensSchema.parse(JSON.parse(connection.open() ?? '{}'));
}

/** Uses the refresh token at the token endpoint that it is bound to: nothing is discovered again (vercel/ai #15963). */
async function refresh(
  connection: StoredConnection,
  address: SignInAddress,
  parts: SignInParts,
): Promise<SealedTokens | undefined> {
  const { store, clock } = parts;
  const { refreshToken, binding } = tokensOf(connection);
  if (refreshToken === undefined) {
    await endConnection(connection, 'The sign-in has ended.', parts);
    return undefined;
  }
  try {
    return await withSignInFetch(address.allowAddresses, async (fetch) => {
      const answer = await oidc.refreshTokenGrant(oidcConfiguration(binding, fetch), refreshToken, {
        resource: binding.resource,
      });
      const tokens: SealedTokens = {
        accessToken: answer.access_token,
        // A server that rotates sends a new one; one that does not lets the old one live.
        refreshToken: answer.refresh_token ?? refreshToken,
        binding,
      };
      const refreshed = { secrets: JSON.stringify(tokens), expiresAt: expiryOf(answer, clock.now()) };
      if (await store.storeRefreshed(connection, refreshed)) return tokens;
      // Disconnected or signed in anew meanwhile: what came now belongs to nobody.
      await revokeTokens(tokens, fetch, parts.log);
      return undefined;
    });
  } catch (error) {
    if (isRefusal(error)) {
      parts.log.info({ err: error, server: connection.serverId }, 'a refresh was refused: a new sign-in is needed');
      await endConnection(connection, 'The sign-in has ended or was withdrawn.', parts);
      return undefined;
    }
    parts.log.warn({ err: error, server: connection.serverId }, 'a refresh failed');
    await store.releaseRefresh(connection);
    throw new UpstreamError('unreachable', 'the authorization server does not answer', { cause: error });
  }
}

async function endConnection(connection: StoredConnection, reason: string, parts: SignInParts): Promise<void> {
  if (await parts.store.markUseless(connection, reason)) {
    await parts.onChanged(connection.userId, connection.serverId);
  }
}

/** RFC 6749 section 5.2: the grant or the client is gone for good; everything else may pass. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof oidc.ResponseBodyError &&
    ['invalid_grant', 'invalid_client', 'unauthorized_client'].includes(error.error)
  );
}
