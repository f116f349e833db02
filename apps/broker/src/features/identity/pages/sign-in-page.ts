import { escapeHtml, renderPage } from '#platform/http/page.ts';

/**
 * Ways to sign in that the specification names and that do not work yet (part 1, section 5): the value that names each in
 * a form -> its name.
 */
export const missingProviders: Record<string, string> = {
  github: 'GitHub',
  facebook: 'Facebook',
  apple: 'Apple',
  email: 'E-mail and password',
};

/** The choice of provider. Only Google can be chosen. */
export function renderSignInPage(options: { brandName: string; action: string; standIn: boolean }): string {
  return renderPage({
    title: 'Sign in',
    brandName: options.brandName,
    body: `<section class="card">
<h1>Sign in to ${escapeHtml(options.brandName)}</h1>
<form method="post" action="${escapeHtml(options.action)}" class="stack">
<button class="primary" name="provider" value="google">Continue with Google${options.standIn ? ' (stand-in)' : ''}</button>
</form>
<p class="quiet after">GitHub, Facebook, Apple, and e-mail with password aren't available yet.</p>
</section>`,
  });
}
