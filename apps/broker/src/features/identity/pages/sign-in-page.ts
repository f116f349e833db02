import { legalTitles, type LegalPage } from '@souk/contract/legal.ts';
import { escapeHtml, renderPage } from '#platform/http/answers/page.ts';

/** Facts for newcomers before they choose an account. */
export type BeforeSignIn = {
  /** Credits of a new account; 0: none. */
  welcomeCredits: number;
  /** Pages whose text the operator provides. */
  legal: readonly LegalPage[];
};

function renderWelcome({ welcomeCredits: credits }: BeforeSignIn): string {
  if (credits === 0) return '';
  return `\n<p>A new account is given ${credits === 1 ? '1 credit' : `${credits.toLocaleString('en-US')} credits`} to try paid tools with, once for each <span class="whole">e-mail address</span>.</p>`;
}

function renderLegal({ legal }: BeforeSignIn): string {
  if (legal.length === 0) return '';
  return `\n<p class="quiet after">${legal.map((page) => `<a href="/${page}">${legalTitles[page]}</a>`).join(' · ')}</p>`;
}

/** Lists the missing ways to sign in, unless the operator's own provider is configured: its users expect no others. */
function renderMissing(providers: readonly { id: string }[]): string {
  if (providers.some(({ id }) => id === 'oidc')) return '';
  return `\n<p class="quiet after">GitHub, Facebook, Apple, and e-mail with password aren't available yet.</p>`;
}

export function renderSignInPage(
  options: BeforeSignIn & {
    brandName: string;
    action: string;
    providers: readonly { id: string; name: string }[];
    /** A field that is posted with the choice: it says which sign-in is in progress. */
    keep?: { name: string; value: string };
  },
): string {
  const { keep } = options;
  const brand = escapeHtml(options.brandName);
  const buttons = options.providers.map(
    ({ id, name }, index) =>
      `<button${index === 0 ? ' class="primary"' : ''} name="provider" value="${id}">Continue with ${escapeHtml(name)}</button>`,
  );
  const kept = keep ? `<input type="hidden" name="${keep.name}" value="${keep.value}">\n` : '';
  return renderPage({
    title: 'Sign in',
    brandName: options.brandName,
    body: `<section class="card">
<h1>Sign in to ${brand}</h1>
<p>One account for all the services here, on this site and from your AI client.</p>${renderWelcome(options)}
<form method="post" action="${escapeHtml(options.action)}" class="stack">
${kept}${buttons.join('\n')}
</form>
<p class="quiet after">${brand} gets the name, e-mail address and picture of the account that you choose, and never your password.</p>${renderMissing(options.providers)}${renderLegal(options)}
</section>`,
  });
}
