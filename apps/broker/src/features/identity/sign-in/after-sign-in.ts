import type { FastifyReply, FastifyRequest } from 'fastify';
import type { User } from '../users/user-store.ts';
import type { Pending } from './pending-cookie.ts';
import type { SignInContext } from './sign-in-context.ts';
import { startSession } from './start-session.ts';

export type SignedIn = { user: User; signedInAtMs: number };

/** Returns the address that the sign-in continues at; undefined when its authorization request has expired. */
export async function continueAfterSignIn(
  context: SignInContext,
  signedIn: SignedIn,
  pending: Pending,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string | undefined> {
  if (pending.interaction !== undefined) {
    return resume(context, signedIn, pending.interaction, pending.allowed === true);
  }
  const { user, signedInAtMs } = signedIn;
  const sessionUid = await startSession(context.provider, request, reply, user.id, signedInAtMs);
  const success = `${context.publicUrl}/auth/success`;
  if (pending.returnTo !== success) return pending.returnTo ?? context.publicUrl;
  // this page gets a ticket, and a hint of who signed in
  const { id, email, displayName, photoUrl } = user;
  const hint = { id, email, displayName, photoURL: photoUrl, provider: user.provider };
  const token = await context.handOff.issue(reply, user.id, { sessionUid, signedInAtMs });
  return `${success}?${new URLSearchParams({ token, user: JSON.stringify(hint) }).toString()}`;
}

/** Writes the result into the interaction. @returns the address of the authorization request that waited for it */
async function resume(
  context: SignInContext,
  { user, signedInAtMs }: SignedIn,
  uid: string,
  allowed: boolean,
): Promise<string | undefined> {
  const accountId = user.id;
  const interaction = await context.provider.Interaction.find(uid);
  if (!interaction) return undefined;
  const consent = allowed ? { consent: { grantId: await context.grantConsent(interaction, accountId) } } : {};
  const ts = Math.floor(signedInAtMs / 1000);
  interaction.result = { login: { accountId, amr: ['fed'], ts }, ...consent };
  await interaction.persist();
  return interaction.returnTo;
}
