import { escapeHtml, renderPage } from '#platform/http/page.ts';

export type StandInAccount = { email: string; name: string; note?: string };

/** The account page of the stand-in for Google. It says what it is, so that nobody types a password of theirs. */
export function renderStandInPage(options: {
  brandName: string;
  action: string;
  accounts: readonly StandInAccount[];
  problem?: string;
}): string {
  const action = escapeHtml(options.action);
  const account = ({ email, name, note }: StandInAccount) =>
    `<button name="email" value="${escapeHtml(email)}">${escapeHtml(name)}${note ? ` (${escapeHtml(note)})` : ''}<br><span class="quiet">${escapeHtml(email)}</span></button>`;
  return renderPage({
    title: 'Choose an account',
    brandName: options.brandName,
    body: `<section class="card">
<h1>Choose an account</h1>
<p class="notice">This is a stand-in for Google sign-in. No real Google account is used, and there is no password: anybody who can open this page can be anybody.</p>
${options.problem === undefined ? '' : `<p role="alert"><strong>${escapeHtml(options.problem)}</strong></p>`}
<form method="post" action="${action}" class="stack">
${options.accounts.map(account).join('\n')}
</form>
<h2>Somebody else</h2>
<form method="post" action="${action}" class="stack">
<div><label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="off" required maxlength="200" placeholder="somebody@souk.test"></div>
<button class="primary">Continue</button>
</form>
</section>`,
  });
}
