import type { ServerManifest } from '#features/catalogue/index.ts';
import { discoverSignIn } from './discover-sign-in.ts';
import type { Pair } from './issuer-place.ts';
import { judgePair, type Judgement } from './known-issuer.ts';
import { configuredClient } from '../client/operator-secrets.ts';
import { withSignInFetch } from '../sign-in-fetch.ts';
import type { SignInParts } from '../sign-in-parts.ts';
import { plainReason } from '../sign-in-problem.ts';

/** The authorization server that a server currently names, with the judgement, or the reason why none is known. */
type FoundPair = (Judgement & { pair: Pair; problem: null }) | { pair: null; problem: string };

/**
 * Asks a server, deployed or not, where its users sign in.
 * @param deadlineMs for all requests together
 */
export async function findPair(server: ServerManifest, parts: SignInParts, deadlineMs?: number): Promise<FoundPair> {
  const pair = await ask(server, parts, deadlineMs).catch((error: unknown) => problemOf(error, server, parts));
  if (typeof pair === 'string') return { pair: null, problem: pair };
  const isOperators = configuredClient(server, parts) !== undefined;
  return { ...(await judgePair(server, pair, isOperators, parts)), pair, problem: null };
}

async function ask(server: ServerManifest, parts: SignInParts, deadlineMs: number | undefined): Promise<Pair> {
  const { auth } = server.manifest;
  const issuer = auth.type === 'oauth' ? auth.issuer : undefined;
  return withSignInFetch(
    parts.addressOf(server),
    async (fetch, address) => {
      const { resource, authorizationServer } = await discoverSignIn(address, issuer, fetch);
      return { resource, server: authorizationServer };
    },
    deadlineMs,
  );
}

function problemOf(error: unknown, server: ServerManifest, { log }: SignInParts): string {
  const reason = plainReason(error);
  if (reason !== undefined) return reason;
  log.warn({ err: error, server: server.id }, 'a server does not say where its users sign in');
  return 'it cannot be reached';
}
