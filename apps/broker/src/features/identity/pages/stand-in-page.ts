import { escapeHtml, renderPage } from '#platform/http/answers/page.ts';
import type { StandInAccount } from '../stand-in/stand-in-accounts.ts';

/** The account page of the stand-in for Google. It says what it is, so that users do not type a real password. */
export function renderStandInPage(options: {
  brandName: string;
  action: string;
  accounts: readonly StandInAccount[];
  problem?: string;
}): string {
  const action = escapeHtml(options.action);
  const account = ({ email, name, note }: StandInAccount) =>
    `<button class="choice" name="email" value="${escapeHtml(email)}">${escapeHtml(name)}${note ? ` (${escapeHtml(note)})` : ''}<br><span class="quiet">${escapeHtml(email)}</span></button>`;
  const { problem } = options;
  const invalid = problem === undefined ? '' : ' aria-invalid="true" aria-describedby="problem" autofocus';
  return renderPage({
    title: 'Choose an account',
    brandName: options.brandName,
    body: `<section class="card">
<h1>Choose an account</h1>
<p>${escapeHtml(options.brandName)} asks who you are.</p>
<p class="notice">Demo: this is a stand-in for Google sign-in. No real Google account is used, and there is no password: anyone who can open this page can sign in as anyone.</p>
<form method="post" action="${action}" class="stack">
${options.accounts.map(account).join('\n')}
</form>
<h2>Use another account</h2>
<form method="post" action="${action}" class="stack">
<div><label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="off" required maxlength="200" placeholder="you@souk.test"${invalid}>
${problem === undefined ? '' : `<p id="problem" class="problem" role="alert">${escapeHtml(problem)}</p>`}</div>
<button class="primary">Continue</button>
</form>
</section>`,
  });
}
