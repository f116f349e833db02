import { pageStyle } from './page-style.ts';

const mark =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><rect width="48" height="48" rx="10" fill="#8a6116"/>' +
  '<path d="M15 11.5h12l7 7v15a3 3 0 0 1-3 3H17a3 3 0 0 1-3-3v-19a3 3 0 0 1 3-3zM27 11.5v7h7M19 25.5h10M19 31h6" ' +
  'fill="none" stroke="#fff" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"/></svg>';

/** Icon as a data URL, the only kind of image that the pages' policy allows. */
const icon = `data:image/svg+xml,${encodeURIComponent(mark)}`;

type SignInRequest = { uid: string; client: string; redirectHost: string; problem?: string };

/** Renders the page that asks for the account and for consent. */
export function consentPage({ uid, client, redirectHost, problem }: SignInRequest): string {
  const name = escapeHtml(client);
  const described = problem === undefined ? '' : ' aria-invalid="true" aria-describedby="problem"';
  return page(
    'Sign in to Notes',
    `<p><strong dir="auto">${name}</strong> asks for access to your notes, so that your assistant can use them.</p>
<h2>It will be able to</h2>
<ul><li>Read and search your notes</li><li>Create, change and delete notes</li></ul>
<form method="post" action="/oauth/interaction/${escapeHtml(uid)}">
<label for="name">Your name</label>
<input id="name" name="name" maxlength="60" autocomplete="username" autofocus${described}>
${problem === undefined ? '' : `<p id="problem" role="alert">${escapeHtml(problem)}</p>`}
<p class="hint">This is a demonstration: accounts have no password. Anyone who types your name opens your notes, so keep
nothing secret here.</p>
<div class="buttons"><button name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button></div>
</form>
<p class="hint">You'll be sent back to ${escapeHtml(redirectHost)}.</p>`,
  );
}

export function problemPage(problem: string): string {
  return page('Sign-in problem', `<p role="alert">${escapeHtml(problem)}</p><p>Go back and start again.</p>`);
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><link rel="icon" href="${icon}">
<title>${title}</title><style>${pageStyle}</style></head>
<body><main><p class="brand" aria-hidden="true">${mark}Notes</p>
<h1>${title}</h1>
${body}
</main></body></html>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
