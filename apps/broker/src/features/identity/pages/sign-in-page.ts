import { escapeHtml, renderPage } from '#platform/http/page.ts';

/** The choice of provider. Only Google is wired (spec part 1, section 5); the others are named and say so. */
export function renderSignInPage(options: { brandName: string; action: string; standIn: boolean }): string {
  const missing = ['GitHub', 'Facebook', 'Apple', 'E-mail and password'];
  return renderPage({
    title: 'Sign in',
    brandName: options.brandName,
    body: `<section class="card">
<h1>Sign in to ${escapeHtml(options.brandName)}</h1>
${options.standIn ? '<p class="notice">Google is not configured here: a stand-in takes its place, and no real Google account is used.</p>' : ''}
<form method="post" action="${escapeHtml(options.action)}" class="stack">
<button class="primary" name="provider" value="google">Continue with Google${options.standIn ? ' (stand-in)' : ''}</button>
${missing.map((name) => `<button type="button" disabled>${name}: not yet available</button>`).join('\n')}
</form>
</section>`,
  });
}
