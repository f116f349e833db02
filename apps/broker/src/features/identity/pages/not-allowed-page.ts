import { escapeHtml, renderPage } from '#platform/http/page.ts';

/** The form that begins the same sign-in again, with another account. */
export type SignInAnew = { method: 'get' | 'post'; action: string; fields: Record<string, string> };

/** A person signed in with an account that the operator lets in nowhere: who it is, and what can be done about it. */
export function renderNotAllowedPage(options: {
  brandName: string;
  email: string;
  supportEmail: string;
  again: SignInAnew;
}): string {
  const { again } = options;
  const [brand, email, support] = [options.brandName, options.email, options.supportEmail].map(escapeHtml);
  const fields = Object.entries(again.fields).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  return renderPage({
    title: 'This account may not sign in',
    brandName: options.brandName,
    body: `<section class="card">
<h1>This account may not sign in</h1>
<p>You chose <strong>${email}</strong>. The operator of ${brand} has not let this address in.</p>
<p>Sign in with another account, or ask the operator to let you in: <a href="mailto:${support}">${support}</a>.</p>
<form method="${again.method}" action="${escapeHtml(again.action)}" class="row">
${fields.join('\n')}
<button class="primary">Use another account</button>
<a class="button" href="/">Back to ${brand}</a>
</form>
</section>`,
  });
}
