import type { FastifyReply } from 'fastify';
import { sendPage } from '#platform/http/answers/page.ts';
import type { Interaction } from '../oauth/find-interaction.ts';
import { redirectSource } from '../oauth/redirect-uri.ts';
import { renderSignInPage } from '../pages/sign-in-page.ts';
import type { SignInContext } from './sign-in-context.ts';

/** Asks which provider to use. @param meaning the user's answer on the consent page, if they came from it */
export function askProvider(
  context: SignInContext,
  reply: FastifyReply,
  interaction: Interaction,
  meaning?: 'allow' | 'switch',
) {
  const page = renderSignInPage({
    brandName: context.brandName,
    action: addressOf(interaction),
    providers: context.providers.all,
    ...context.beforeSignIn(),
    ...(meaning && { keep: { name: meaning, value: '1' } }),
  });
  return sendPage(reply, 200, page, formTargets(context, String(interaction.params['redirect_uri'])));
}

export function addressOf({ uid }: Interaction): string {
  return `/oauth/interaction/${uid}`;
}

/** CSP form-action of these forms: Chromium checks the redirects that follow, of the provider and then of the client. */
export function formTargets(context: SignInContext, redirectUri: string): string[] {
  return [...new Set([...context.providerTargets, redirectSource(redirectUri)])];
}
