import { escapeHtml, renderPage } from '#platform/http/page.ts';

/** Ways that the specification names and nobody wired (part 1, section 5): value of the form's button -> its name. */
export const missingProviders: Record<string, string> = {
  github: 'GitHub',
  facebook: 'Facebook',
  apple: 'Apple',
  email: 'E-mail and password',
};

/** The choice of provider. Only Google is wired; the others are named and say so. */
export function renderSignInPage(options: { brandName: string; action: string; standIn: boolean }): string {
  const missing = Object.entries(missingProviders).map(
    ([value, name]) =>
      `<button name="provider" value="${value}" disabled>${name}<span class="quiet">not available yet</span></button>`,
  );
  return renderPage({
    title: 'Sign in',
    brandName: options.brandName,
    body: `<section class="card">
<h1>Sign in to ${escapeHtml(options.brandName)}</h1>
${options.standIn ? '<p class="notice">Google is not configured here. A stand-in takes its place: no real Google account is used.</p>' : ''}
<form method="post" action="${escapeHtml(options.action)}" class="stack">
<button class="primary" name="provider" value="google">Continue with Google${options.standIn ? ' (stand-in)' : ''}</button>
<div class="pairs">
${missing.join('\n')}
</div>
</form>
</section>`,
  });
}
