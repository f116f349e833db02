import type { ServerSignIn, SignInDoubt } from '@souk/contract/admin/servers.ts';

export type IssuerQuestion = {
  name: string;
  named: NonNullable<ServerSignIn['named']>;
  doubts: readonly SignInDoubt[];
  /** The client is the operator's own. */
  isOperators: boolean;
  /** Another authorization server was confirmed before. */
  isChange: boolean;
};

/** Returns a paragraph for each risk of confirming an authorization server. */
export function whatIsAtStake({ name, named, doubts, isOperators, isChange }: IssuerQuestion): string[] {
  const { host } = new URL(named.resource);
  const texts: Record<SignInDoubt, string> = {
    'other-site': `${name} is at ${host} and sends people to ${named.issuer}, which is on another site. If that is the sign-in of another service, ${name} can get tokens that let it act there in their name. Confirm this only if you know that users of ${name} sign in there.`,
    'other-origins': `${named.issuer} also uses ${named.origins.join(', ')}. Sign-in codes and secrets go there. Confirm this only if both belong to the same provider.`,
    'no-pkce': `${named.issuer} doesn't say that it supports PKCE (S256). Without it, someone else can use a stolen sign-in code. Confirm this only if its documentation says that it does.`,
  };
  return [
    ...(isOperators
      ? [
          `The id and the secret of your client go to ${named.tokenEndpoint} whenever a user signs in. Confirm this only if you registered the client there.`,
        ]
      : []),
    ...doubts.map((doubt) => texts[doubt]),
    ...(isChange ? ['Sign-ins at the previous authorization server end, and those users have to sign in again.'] : []),
  ];
}
