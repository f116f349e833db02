import { escapeHtml, renderPage } from '#platform/http/answers/page.ts';

export type ConsentRequest = {
  brandName: string;
  action: string;
  clientName: string;
  /** Host of the metadata document that vouches for the client; undefined for a client that registered itself. */
  publishedBy: string | undefined;
  /** Destination of the answer: a host, or the scheme of an application on the user's machine. */
  redirect: { host: string; isLocal: boolean };
  scopes: readonly string[];
  /** MCP addresses that the client requested. */
  addresses: readonly string[];
  services: ConsentServices;
  /** The signed-in user; undefined when sign-in comes next. */
  email: string | undefined;
  standIn: boolean;
  /** Provider of the sign-in; undefined when the user can choose. */
  signInWith: string | undefined;
};

/** Services that the client will be able to use: these alone, or (`isAll`) all that the user enables. */
export type ConsentServices = {
  names: readonly string[];
  isAll: boolean;
  /** Sentences about obstacles for this user in these services. */
  notes: readonly string[];
};

const scopeTexts: Record<string, string> = {
  'mcp:tools': 'List and use your tools; calls may cost credits',
  'mcp:prompts': 'Use the prompts of your services: texts to start a chat from',
  'mcp:resources': 'Read the resources of your services: files and data',
  openid: 'Know which account you use here',
  email: 'See your e-mail address',
  profile: 'See your name and picture',
};

const scopeTextsOfOne: Record<string, (name: string) => string> = {
  'mcp:tools': (name) => `List and use ${name}'s tools; calls may cost credits`,
  'mcp:prompts': (name) => `Use ${name}'s prompts: texts to start a chat from`,
  'mcp:resources': (name) => `Read ${name}'s resources: files and data`,
};

/** Names listed at most; the others are counted. */
const maxNames = 12;

/** Asks whether an application may act for the user. All text from the application is escaped. */
export function renderConsentPage(request: ConsentRequest): string {
  const name = escapeHtml(request.clientName);
  const brand = escapeHtml(request.brandName);
  const { names, isAll } = request.services;
  const only = isAll || names.length !== 1 ? undefined : names[0];
  const textOf = (scope: string) =>
    (only !== undefined && scopeTextsOfOne[scope]?.(only)) || (scopeTexts[scope] ?? scope);
  const scopes = request.scopes.map((scope) => `<li>${escapeHtml(textOf(scope))}</li>`).join('\n');
  const addresses = request.addresses.map((address) => `<code>${escapeHtml(address)}</code>`).join(', ');
  return renderPage({
    title: `Allow ${request.clientName}?`,
    brandName: request.brandName,
    body: `<section class="card">
<h1>Allow ${name} to use your ${brand} account?</h1>
${describePublisher(request.publishedBy)}
<p>It will be able to:</p>
<ul>
${scopes}
</ul>
<dl>
<div><dt>${only === undefined ? 'Services' : 'Service'}</dt><dd>${describeServices(request.services)}</dd></div>
<div><dt>Account</dt><dd>${describeAccount(request)}</dd></div>
</dl>
${request.services.notes.map((note) => `<p class="notice">${escapeHtml(note)}</p>`).join('\n')}
<p class="quiet">Using ${addresses}. You'll be sent back to <strong>${escapeHtml(request.redirect.host)}</strong>${request.redirect.isLocal ? ', an app on this computer' : ''}.</p>
<form method="post" action="${escapeHtml(request.action)}" class="row">
<button class="primary" name="allow" value="1">Allow</button>
<button name="allow" value="0">Cancel</button>
</form>
</section>`,
  });
}

function describePublisher(host: string | undefined): string {
  return host === undefined
    ? `<p class="notice">Unverified application. Allow it only if you have just started it yourself.</p>`
    : `<p class="quiet">Published by ${escapeHtml(host)}</p>`;
}

function describeServices({ names, isAll }: ConsentServices): string {
  const listed = names.slice(0, maxNames).map((name) => `<strong>${escapeHtml(name)}</strong>`);
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
  const list = `${listed.join(', ')}${more}`;
  if (!isAll) return list;
  return names.length === 0 ? 'Every service that you enable' : `${list}, and services that you enable later`;
}

function describeAccount({ email, standIn, signInWith, action }: ConsentRequest): string {
  if (email === undefined) {
    return signInWith === undefined ? "You'll sign in next." : `You'll sign in with ${escapeHtml(signInWith)} next.`;
  }
  return `<strong>${escapeHtml(email)}</strong>${standIn ? ' (stand-in)' : ''}
<form method="post" action="${escapeHtml(action)}">Not you? <button class="inline" name="switch" value="1">Use another account</button>. It signs you out in this browser first.</form>`;
}
