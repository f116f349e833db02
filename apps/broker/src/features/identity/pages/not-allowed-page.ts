import { escapeHtml, renderPage } from '#platform/http/answers/page.ts';

/** A form that starts the same sign-in again with another account. */
export type SignInAnew = { method: 'get' | 'post'; action: string; fields: Record<string, string> };

type Refusal = 'not_allowed' | 'deactivated';

/** Tells a user that their account may not sign in: which account, why, and what to do. */
export function renderNotAllowedPage(options: {
  brandName: string;
  email: string;
  supportEmail: string;
  refusal: Refusal;
  again: SignInAnew;
}): string {
  const { again } = options;
  const [brand, email, support] = [options.brandName, options.email, options.supportEmail].map(escapeHtml);
  const fields = Object.entries(again.fields).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  const mail = `<a href="mailto:${support}">${support}</a>`;
  const { title, why, ask } = wordsOf(options.refusal, options.brandName);
  return renderPage({
    title,
    brandName: options.brandName,
    body: `<section class="card">
<h1>${title}</h1>
<p>You chose <strong>${email}</strong>. ${escapeHtml(why)}</p>
<p>${ask}: ${mail}.</p>
<form method="${again.method}" action="${escapeHtml(again.action)}" class="row">
${fields.join('\n')}
<button class="primary">Use another account</button>
<a class="button" href="/">Back to ${brand}</a>
</form>
</section>`,
  });
}

function wordsOf(refusal: Refusal, brand: string): { title: string; why: string; ask: string } {
  if (refusal === 'not_allowed') {
    return {
      title: 'This account may not sign in',
      why: `The operator of ${brand} has not let this address in.`,
      ask: 'Sign in with another account, or ask the operator to let you in',
    };
  }
  return {
    title: 'This account is deactivated',
    why: `This account has been deactivated. Until it is reactivated, you can't sign in to ${brand} with it.`,
    ask: 'If you think that this is a mistake, ask the operator',
  };
}
