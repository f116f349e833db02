const style =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:30rem;margin:10vh auto;padding:0 1rem;color:#1c1917;background:#fafaf9}' +
  'input,button{font:inherit;padding:.5rem .75rem;border:1px solid #78716c;border-radius:.375rem}' +
  'input{display:block;width:100%;box-sizing:border-box;margin:.25rem 0 1rem}' +
  'button[value=allow]{background:#1c1917;color:#fafaf9}';

/** For the style element of these pages: no script, no other style, nothing from elsewhere. */
export const styleText = style;

/** Asks who the person is and whether the client may use their notes. */
export function consentPage(request: { uid: string; client: string; redirectHost: string; problem?: string }): string {
  const problem = request.problem === undefined ? '' : `<p role="alert">${escapeHtml(request.problem)}</p>`;
  return page(
    'Sign in to Notes',
    `<p><strong>${escapeHtml(request.client)}</strong> (${escapeHtml(request.redirectHost)}) asks to read and change
your notes.</p>
<p>This is a demonstration service: accounts have no password. Whoever types your name opens your notes, so keep
nothing secret here.</p>
${problem}
<form method="post" action="/oauth/interaction/${escapeHtml(request.uid)}">
<label>Your name<input name="name" maxlength="60" autocomplete="username" autofocus></label>
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button>
</form>`,
  );
}

export function problemPage(problem: string): string {
  return page('Sign-in problem', `<p role="alert">${escapeHtml(problem)}</p><p>Go back and start again.</p>`);
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>${style}</style></head>
<body><main><h1>${title}</h1>
${body}
</main></body></html>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
