import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errors } from 'oidc-provider';
import { z } from 'zod';
import { mcpScopes } from '@souk/contract/identity.ts';
import { sendPage } from '#platform/http/answers/page.ts';
import { frontendClientId } from '../oauth/resources.ts';
import { isLoopbackRedirect, redirectHost, redirectSource } from '../oauth/redirect-uri.ts';
import { renderConsentPage } from '../pages/consent-page.ts';
import { renderMessagePage, signInAgain } from '../pages/message-page.ts';
import { answeredWords } from '../pages/oauth-error-page.ts';
import { missingProviders, renderSignInPage } from '../pages/sign-in-page.ts';
import { pageOnFailure, refuseSignIn } from './refuse-sign-in.ts';
import { emailSignIn, notYetImplemented } from './not-yet-implemented.ts';
import type { SignInContext } from './sign-in-context.ts';

const formSchema = z.object({
  provider: z.string().optional(),
  allow: z.string().optional(),
  switch: z.string().optional(),
});

type Interaction = Awaited<ReturnType<SignInContext['provider']['interactionDetails']>>;

/**
 * The pages between /oauth/authorize and its answer. Our own web app chooses a provider; every other client is asked for
 * by name first, before any outside provider is (which might let the user through without a question), and always anew.
 */
export function mountInteractionRoutes(app: FastifyInstance, context: SignInContext): void {
  const { provider, publicUrl, brandName } = context;
  const options = { errorHandler: pageOnFailure(brandName) };

  app.get('/oauth/interaction/:uid', options, async (request, reply) => {
    const interaction = await findInteraction(request, reply);
    if (!interaction) return expired(reply);
    await context.noteSeen(interaction.uid);
    if (isFrontend(interaction)) {
      return askProvider(reply, interaction);
    }
    const consent = await describeConsent(interaction);
    if (!consent) return expired(reply);
    return sendPage(reply, 200, renderConsentPage(consent.page), targetsOf(consent.redirectUri));
  });

  app.post('/oauth/interaction/:uid', options, async (request, reply) => {
    const interaction = await findInteraction(request, reply);
    if (!interaction) return expired(reply);
    const { origin } = request.headers;
    if (origin !== undefined && origin !== publicUrl) {
      return sendPage(reply, 403, problem('This form came from another site.'));
    }
    const form = formSchema.safeParse(request.body ?? {});
    const answer = form.success ? form.data : {};
    const chosen = answer.provider === undefined ? undefined : context.providers.find(answer.provider);
    if (isFrontend(interaction)) {
      // The page offers no button for these; a form that names one gets the specification's answer.
      const missing = answer.provider === undefined ? undefined : missingProviders[answer.provider];
      if (missing !== undefined) {
        return refuseSignIn(brandName, request, reply, {
          code: 'not_implemented',
          text: notYetImplemented(answer.provider === 'email' ? emailSignIn : `${missing} sign-in`),
        });
      }
      if (!chosen) return sendPage(reply, 400, problem('This way of signing in is not available.'));
      // Asked anew, the user chooses: the provider too must not go on with the account that it knows already.
      const mustAsk = interaction.params['prompt'] === 'login' || answer.switch === '1';
      return context.startUpstream(request, reply, chosen, { interaction: interaction.uid }, { mustAsk });
    }
    if (answer.switch === '1') {
      await context.signOut(request, reply);
      // it named the session that has just ended; the sign-in brings its own, and then the consent is asked again
      delete interaction.session;
      await interaction.persist();
      const to = chosen ?? context.providers.only;
      if (!to) return askProvider(reply, interaction, 'switch');
      return context.startUpstream(request, reply, to, { interaction: interaction.uid }, { mustAsk: true });
    }
    if (answer.allow !== '1') {
      const returnTo = await provider.interactionResult(request.raw, reply.raw, {
        error: 'access_denied',
        error_description: 'the user did not allow it',
      });
      return reply.redirect(returnTo, 303);
    }
    if (interaction.prompt.name === 'login') {
      const to = chosen ?? context.providers.only;
      if (!to) return askProvider(reply, interaction, 'allow');
      return context.startUpstream(request, reply, to, { interaction: interaction.uid, allowed: true });
    }
    const accountId = interaction.session?.accountId;
    if (accountId === undefined) return expired(reply);
    const grantId = await context.grantConsent(interaction, accountId);
    const returnTo = await provider.interactionResult(request.raw, reply.raw, { consent: { grantId } });
    return reply.redirect(returnTo, 303);
  });

  /** The interaction of this browser's cookie, if it is the one of the address. */
  async function findInteraction(request: FastifyRequest, reply: FastifyReply): Promise<Interaction | undefined> {
    try {
      const interaction = await provider.interactionDetails(request.raw, reply.raw);
      return request.url.split('?')[0]?.endsWith(`/${interaction.uid}`) ? interaction : undefined;
    } catch (error) {
      if (error instanceof errors.SessionNotFound) return undefined;
      throw error;
    }
  }

  async function describeConsent(interaction: Interaction) {
    const { client_id: clientId, redirect_uri: redirectUri, scope, resource } = interaction.params;
    const client = await provider.Client.find(String(clientId));
    if (!client || typeof redirectUri !== 'string') return undefined;
    const accountId = interaction.prompt.name === 'login' ? undefined : interaction.session?.accountId;
    const user = accountId === undefined ? undefined : await context.users.find(accountId);
    const scopes = typeof scope === 'string' ? scope.split(' ').filter((one) => knownScopes.has(one)) : mcpScopes;
    const addresses = [resource ?? context.resources.mcp].flat().map(String);
    return {
      redirectUri,
      page: {
        brandName,
        action: addressOf(interaction),
        clientName: client.clientName ?? 'An application without a name',
        publishedBy: client.clientId.startsWith('https://') ? new URL(client.clientId).host : undefined,
        redirect: { host: redirectHost(redirectUri), isLocal: isLocal(redirectUri) },
        scopes,
        addresses,
        services: await context.describeServices(addresses, user?.id),
        email: user?.email,
        standIn: context.providers.standIn !== undefined,
        signInWith: context.providers.only?.name,
      },
    };
  }

  /** The choice of provider. @param meaning what the person has just answered on the consent page, if they came from it */
  function askProvider(reply: FastifyReply, interaction: Interaction, meaning?: 'allow' | 'switch') {
    const page = renderSignInPage({
      brandName,
      action: addressOf(interaction),
      providers: context.providers.all,
      ...context.beforeSignIn(),
      ...(meaning && { keep: { name: meaning, value: '1' } }),
    });
    return sendPage(reply, 200, page, targetsOf(String(interaction.params['redirect_uri'])));
  }

  /** The provider's own redirects follow these forms, and then the client's: Chromium holds each against form-action. */
  function targetsOf(redirectUri: string): string[] {
    return [...new Set([...context.providerTargets, redirectSource(redirectUri)])];
  }

  function expired(reply: FastifyReply) {
    return sendPage(reply, 400, renderMessagePage({ brandName, ...answeredWords, next: signInAgain }));
  }

  function problem(text: string): string {
    return renderMessagePage({ brandName, title: 'Sign-in did not work', text, next: signInAgain });
  }
}

const knownScopes: ReadonlySet<string> = new Set([...mcpScopes, 'openid', 'email', 'profile']);

function addressOf({ uid }: Interaction): string {
  return `/oauth/interaction/${uid}`;
}

function isFrontend(interaction: Interaction): boolean {
  return interaction.params['client_id'] === frontendClientId;
}

/** Of a client on the same machine: a loopback address, or the scheme of an application. */
function isLocal(redirectUri: string): boolean {
  return isLoopbackRedirect(redirectUri) || !/^https?:/i.test(redirectUri);
}
