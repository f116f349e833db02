import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { sendPage } from '#platform/http/answers/page.ts';
import { findInteraction as findByCookie, type Interaction } from '../oauth/find-interaction.ts';
import { frontendClientId } from '../oauth/resources.ts';
import { renderConsentPage } from '../pages/consent-page.ts';
import { renderMessagePage, signInAgain } from '../pages/message-page.ts';
import { answeredWords } from '../pages/oauth-error-page.ts';
import { askProvider, formTargets } from './ask-provider.ts';
import { describeConsent } from './describe-consent.ts';
import { pageOnFailure, refuseSignIn } from './refuse-sign-in.ts';
import { missingWays, notYetImplemented } from './not-yet-implemented.ts';
import type { SignInContext } from './sign-in-context.ts';

const formSchema = z.object({
  provider: z.string().optional(),
  allow: z.string().optional(),
  switch: z.string().optional(),
});

/** A form that was posted to a page of an interaction. */
type Answered = {
  context: SignInContext;
  interaction: Interaction;
  answer: z.infer<typeof formSchema>;
  request: FastifyRequest;
  reply: FastifyReply;
};

/**
 * Mounts the pages between /oauth/authorize and its answer. For our own web app the user chooses a provider. Every
 * other client is named to the user first, each time: an outside provider might let the user through without a
 * question.
 */
export function mountInteractionRoutes(app: FastifyInstance, context: SignInContext): void {
  const { provider, publicUrl, brandName } = context;
  const options = { errorHandler: pageOnFailure(brandName) };

  app.get('/oauth/interaction/:uid', options, async (request, reply) => {
    const interaction = await findInteraction(request, reply);
    if (!interaction) return sendAnswered(brandName, reply);
    await context.recordSeen(interaction.uid);
    if (isFrontend(interaction)) return askProvider(context, reply, interaction);
    const consent = await describeConsent(context, interaction);
    if (!consent) return sendAnswered(brandName, reply);
    return sendPage(reply, 200, renderConsentPage(consent.page), formTargets(context, consent.redirectUri));
  });

  app.post('/oauth/interaction/:uid', options, async (request, reply) => {
    const interaction = await findInteraction(request, reply);
    if (!interaction) return sendAnswered(brandName, reply);
    const { origin } = request.headers;
    if (origin !== undefined && origin !== publicUrl) {
      return sendProblem(brandName, reply, 403, 'This form came from another site.');
    }
    const form = formSchema.safeParse(request.body ?? {});
    const answered = { context, interaction, answer: form.success ? form.data : {}, request, reply };
    return isFrontend(interaction) ? chooseProvider(answered) : decideConsent(answered);
  });

  /** Finds the interaction of this browser's cookie, if it is the one of the address. */
  async function findInteraction(request: FastifyRequest, reply: FastifyReply): Promise<Interaction | undefined> {
    const interaction = await findByCookie(provider, request, reply);
    return interaction && request.url.split('?')[0]?.endsWith(`/${interaction.uid}`) ? interaction : undefined;
  }
}

async function chooseProvider({ context, interaction, answer, request, reply }: Answered) {
  const chosen = chosenProvider(context, answer);
  // the page has no button for these; a form that names one gets the specification's answer
  const missing = answer.provider === undefined ? undefined : missingWays.get(answer.provider);
  if (missing !== undefined) {
    const text = notYetImplemented(missing);
    return refuseSignIn(context.brandName, request, reply, { code: 'not_implemented', text });
  }
  if (!chosen) return sendProblem(context.brandName, reply, 400, 'This way of signing in is not available.');
  // when asked again, the user chooses: the provider must not continue with the account that it already knows
  const mustAsk = interaction.params['prompt'] === 'login' || answer.switch === '1';
  return context.startUpstream(request, reply, chosen, { interaction: interaction.uid }, { mustAsk });
}

/** The user allowed or denied the client, or switches accounts. */
async function decideConsent({ context, interaction, answer, request, reply }: Answered) {
  const { provider } = context;
  const to = chosenProvider(context, answer) ?? context.providers.only;
  if (answer.switch === '1') {
    await context.signOut(request, reply);
    // the interaction named the session that has just ended; the sign-in starts a new one, and then asks for consent again
    delete interaction.session;
    await interaction.persist();
    if (!to) return askProvider(context, reply, interaction, 'switch');
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
    if (!to) return askProvider(context, reply, interaction, 'allow');
    return context.startUpstream(request, reply, to, { interaction: interaction.uid, allowed: true });
  }
  const accountId = interaction.session?.accountId;
  if (accountId === undefined) return sendAnswered(context.brandName, reply);
  const grantId = await context.grantConsent(interaction, accountId);
  const returnTo = await provider.interactionResult(request.raw, reply.raw, { consent: { grantId } });
  return reply.redirect(returnTo, 303);
}

function chosenProvider({ providers }: SignInContext, { provider }: Answered['answer']) {
  return provider === undefined ? undefined : providers.find(provider);
}

function isFrontend(interaction: Interaction): boolean {
  return interaction.params['client_id'] === frontendClientId;
}

function sendAnswered(brandName: string, reply: FastifyReply) {
  return sendPage(reply, 400, renderMessagePage({ brandName, ...answeredWords, next: signInAgain }));
}

function sendProblem(brandName: string, reply: FastifyReply, status: number, text: string) {
  const page = renderMessagePage({ brandName, title: 'Sign-in did not work', text, next: signInAgain });
  return sendPage(reply, status, page);
}
