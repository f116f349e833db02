import { ApiError } from '@souk/contract/client.ts';
import { foldEmail } from '@souk/contract/fold-email.ts';
import type { UserProfile } from '@souk/contract/identity.ts';
import { z } from 'zod';
import { chooseReturnPath } from './return-path.ts';
import { clearSignInState, returnPathKey, signOutKey, type KeyValueStore } from '../session/session-storage.ts';
import type { SignedInUser } from '../session/signed-in-user.ts';
import { refusal, userOf } from './sign-in.ts';
import type { TokenEndpoint } from '../session/token-endpoint.ts';

/** The parameters of /auth/success: a hand-off ticket, and a user as JSON, which is only a hint. */
export type HandOffAddress = { token: string | null; user: string | null };

/** The ticket was issued to another browser, so the user must confirm that the account is theirs. */
export type HandOffQuestion = {
  email: string;
  /** The user who is signed in now, and would be replaced. */
  currentEmail: string | undefined;
  /** @returns the path to go to; may leave the page instead */
  accept: () => Promise<string>;
  decline: () => Promise<void>;
};

export type HandOffOptions = {
  origin: string;
  local: KeyValueStore;
  temporary: KeyValueStore;
  withLock: <T>(work: () => Promise<T>) => Promise<T>;
  endpoint: TokenEndpoint;
  findCurrent: () => Promise<SignedInUser | undefined>;
  onSignedIn: (user: SignedInUser) => void;
  signOut: () => Promise<void>;
  startSignInAnew: (path: string) => Promise<never>;
};

/**
 * The end of a sign-in that comes back with a ticket in its address (spec part 2, section 2; clarifications, Sign-in).
 * A link may bring a user here with another user's ticket. Only the broker can tell: it gave a proof to the browser
 * that came back from the provider. What this page remembers proves nothing, since any site can open our sign-in and
 * then navigate the window elsewhere. So unless the broker says that the ticket belongs to this browser:
 * - without a signed-in user, the cookie of the exchange stays marked as an unfinished sign-out until the user
 *   confirms; otherwise the next start of the app ends that sign-in instead of restoring it
 * - with a signed-in user, the exchange leaves their cookie unchanged, and confirming starts a new sign-in
 */
export function createHandOff(options: HandOffOptions) {
  const { origin, local, temporary, withLock, endpoint } = options;
  const openings = new Map<string, Promise<string | HandOffQuestion>>();

  return {
    /**
     * Exchanges the ticket. In development, React calls it twice; the second call gets the result of the first.
     * @returns the path to go to, or the question to ask first
     * @throws ApiError 'Missing authentication parameters', and the texts of a failed exchange or profile
     */
    open(address: HandOffAddress): Promise<string | HandOffQuestion> {
      const key = address.token ?? '';
      const opening = openings.get(key) ?? openOnce(address);
      openings.set(key, opening);
      return opening;
    },
  };

  async function openOnce({ token, user: hint }: HandOffAddress): Promise<string | HandOffQuestion> {
    if (!token || !hint) throw refusal('Missing authentication parameters');
    const path = chooseReturnPath(temporary.getItem(returnPathKey), origin);
    clearSignInState(temporary);

    const current = await options.findCurrent();
    const offer = await swap(token, current !== undefined);
    const { profile } = offer;
    if (!isHintOf(hint, profile)) {
      await offer.withdraw();
      throw refusal('The account in this link is not the one that signed in.');
    }
    const user = userOf(profile, offer.tokens);
    if (offer.isOfThisBrowser) {
      options.onSignedIn(user);
      return path;
    }
    if (current?.id === profile.id) return path;
    return {
      email: profile.email,
      currentEmail: current?.email,
      decline: offer.withdraw,
      accept: async () => {
        if (current) return options.startSignInAnew(path);
        options.onSignedIn(user);
        return path;
      },
    };
  }

  async function swap(ticket: string, keepsSignIn: boolean) {
    return withLock(async () => {
      if (!keepsSignIn) local.setItem(signOutKey, '1');
      const { tokens, isOfThisBrowser } = await endpoint.exchangeTicket(ticket, keepsSignIn).catch((error: unknown) => {
        // a refusal set no cookie; without an answer the mark stays, since the answer may have been lost
        if (!keepsSignIn && error instanceof ApiError && error.status !== undefined) local.removeItem(signOutKey);
        throw error;
      });
      if (isOfThisBrowser) local.removeItem(signOutKey);
      const withdraw = async () => {
        if (!keepsSignIn || isOfThisBrowser) await options.signOut();
      };
      return { tokens, isOfThisBrowser, withdraw, answer: await endpoint.fetchProfile(tokens.accessToken) };
    }).then(async ({ answer, ...offer }) => {
      if ('profile' in answer) return { ...offer, profile: answer.profile };
      await offer.withdraw();
      throw refusal(`Failed to get user info: ${answer.refused}`);
    });
  }
}

const hintSchema = z.object({ id: z.string().optional(), email: z.string().optional() });

/** Returns whether the hint names this user. It must name an id or an e-mail, and what it names must match. */
function isHintOf(hint: string, profile: UserProfile): boolean {
  let parsed;
  try {
    parsed = hintSchema.safeParse(JSON.parse(hint)).data;
  } catch {
    return false;
  }
  if (parsed?.id === undefined && parsed?.email === undefined) return false;
  const idFits = parsed.id === undefined || parsed.id === profile.id;
  const emailFits = parsed.email === undefined || foldEmail(parsed.email) === foldEmail(profile.email);
  return idFits && emailFits;
}
