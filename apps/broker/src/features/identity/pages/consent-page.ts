import { escapeHtml, renderPage } from '#platform/http/page.ts';

export type ConsentRequest = {
  brandName: string;
  action: string;
  clientName: string;
  /** Host of the metadata document that vouches for the client; undefined for one that registered itself. */
  publishedBy: string | undefined;
  /** Where the answer goes: a host, or the scheme of an application on this machine. */
  redirectHost: string;
  scopes: readonly string[];
  /** The MCP address that the client asked for. */
  resource: string;
  /** Who is signed in; undefined when sign-in comes next. */
  email: string | undefined;
  standIn: boolean;
};

const scopeTexts: Record<string, string> = {
  'mcp:tools': 'List and use your tools; calls may cost credits',
  'mcp:prompts': 'Read your prompts',
  'mcp:resources': 'Read your resources',
  openid: 'Know which account you use here',
  email: 'See your e-mail address',
  profile: 'See your name and picture',
};

/** Asks whether an application may act for the person. Everything that the application said of itself is escaped. */
export function renderConsentPage(request: ConsentRequest): string {
  const name = escapeHtml(request.clientName);
  const brand = escapeHtml(request.brandName);
  const scopes = request.scopes.map((scope) => `<li>${escapeHtml(scopeTexts[scope] ?? scope)}</li>`).join('\n');
  return renderPage({
    title: `Allow ${request.clientName}?`,
    brandName: request.brandName,
    body: `<section class="card">
<h1>Allow ${name} to use your ${brand} account?</h1>
<p class="${request.publishedBy === undefined ? 'notice' : 'quiet'}">${
      request.publishedBy === undefined
        ? 'Unverified application. Allow it only if you have just started it yourself.'
        : `Published by ${escapeHtml(request.publishedBy)}`
    }</p>
<p>It would be able to:</p>
<ul>
${scopes}
</ul>
<p class="quiet">At <code>${escapeHtml(request.resource)}</code>. The answer goes to <strong>${escapeHtml(request.redirectHost)}</strong>.</p>
<p>${
      request.email === undefined
        ? `You will sign in with Google${request.standIn ? ' (a stand-in; no real Google account is used)' : ''} next.`
        : `Signed in as <strong>${escapeHtml(request.email)}</strong>${request.standIn ? ' through the stand-in for Google' : ''}.`
    }</p>
<form method="post" action="${escapeHtml(request.action)}" class="row">
<button class="primary" name="allow" value="1">Allow</button>
<button name="allow" value="0">Cancel</button>
</form>
</section>`,
  });
}
