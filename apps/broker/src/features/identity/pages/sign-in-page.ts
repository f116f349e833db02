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

/** The choice of provider: those that are configured can be chosen. */
export function renderSignInPage(options: {
  brandName: string;
  action: string;
  providers: readonly { id: string; name: string }[];
  /** What the choice was made in the middle of: sent with it. */
  keep?: { name: string; value: string };
}): string {
  const { keep } = options;
  const buttons = options.providers.map(
    ({ id, name }, index) =>
      `<button${index === 0 ? ' class="primary"' : ''} name="provider" value="${id}">Continue with ${escapeHtml(name)}</button>`,
  );
  const kept = keep ? `<input type="hidden" name="${keep.name}" value="${keep.value}">\n` : '';
  return renderPage({
    title: 'Sign in',
    brandName: options.brandName,
    body: `<section class="card">
<h1>Sign in to ${escapeHtml(options.brandName)}</h1>
<form method="post" action="${escapeHtml(options.action)}" class="stack">
${kept}${buttons.join('\n')}
</form>
<p class="quiet after">GitHub, Facebook, Apple, and e-mail with password aren't available yet.</p>
</section>`,
  });
}
