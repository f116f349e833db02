import type { ServerManifest } from '#features/catalogue/index.ts';
import { findPair } from './find-pair.ts';
import type { KnownIssuer } from './known-issuer.ts';
import type { SignInParts } from '../sign-in-parts.ts';

/** Deadline of all requests to one server, while an administrator waits for the page. */
const deadlineMs = 3_000;

/** Returns a sentence on where users would sign in with a manifest before it is deployed; empty without sign-ins. */
export async function describePair(server: ServerManifest, parts: SignInParts): Promise<string[]> {
  if (server.manifest.auth.type !== 'oauth') return [];
  const found = await findPair(server, parts, deadlineMs);
  if (!found.pair) return [`It is not known where users sign in: ${found.problem}.`];
  const { state, known } = found;
  const { issuer } = found.pair.server;
  if (state === 'open') return [`People sign in at ${issuer}.`];
  const says = known && whoSays[known.by];
  // an issuer that the manifest names is shown with the manifest's other effects
  if (state === 'confirmed') return known?.by === 'manifest' ? [] : [`People sign in at ${issuer}, which ${says}.`];
  const isPinned = state === 'refused' && known && known.by !== 'administrator';
  return [
    isPinned
      ? `The server sends people to ${issuer}, and ${says} ${known.issuer}: no one can sign in.`
      : `The server sends people to ${issuer}. No one can sign in until you confirm that on its page.`,
  ];
}

const whoSays = {
  environment: 'the operator has set',
  manifest: 'the manifest names',
  administrator: 'an administrator has confirmed',
} as const satisfies Record<KnownIssuer['by'], string>;
