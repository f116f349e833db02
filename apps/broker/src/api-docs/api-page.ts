import { z } from 'zod';
import { escapeHtml, renderPage } from '#platform/http/answers/page.ts';
import { partTitles } from './parts-of-api.ts';

const contentSchema = z.record(
  z.string(),
  z.object({ schema: z.unknown().optional(), example: z.unknown().optional() }),
);

/** The part of an OpenAPI document that the page shows. */
const documentSchema = z.object({
  info: z.object({ version: z.string() }),
  servers: z.array(z.object({ url: z.string() })).min(1),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        tags: z.array(z.string()),
        summary: z.string(),
        description: z.string(),
        security: z.array(z.unknown()).optional(),
        parameters: z.array(
          z.object({ name: z.string(), in: z.string(), required: z.boolean(), description: z.string().optional() }),
        ),
        requestBody: z.object({ content: contentSchema }).optional(),
        responses: z.record(z.string(), z.object({ description: z.string(), content: contentSchema.optional() })),
      }),
    ),
  ),
});
type Document = z.infer<typeof documentSchema>;
type Operation = Document['paths'][string][string];
type Call = Operation & { method: string; path: string };

/** Separates the error codes of one status, each with its text. */
const betweenErrors = /; (?=[a-z_]{1,60}: )/;

/** Renders every call of an OpenAPI document as a page whose calls open without a script. */
export function renderApiPage(document: object, brandName: string): string {
  const { info, servers, paths } = documentSchema.parse(document);
  const [{ url } = { url: '' }] = servers;
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
  const idOf = (title: string) => title.toLowerCase().replaceAll(' ', '-');
  const list = partTitles.map((title) => `<li><a href="#${idOf(title)}">${escapeHtml(title)}</a></li>`).join('\n');
  const sections = partTitles.map((title) => {
    const own = calls.filter(({ tags }) => tags.includes(title));
    return `<section><h2 id="${idOf(title)}">${escapeHtml(title)}</h2>\n${own.map((call) => renderCall(call, url)).join('\n')}</section>`;
  });
  return renderPage({
    title: 'API',
    brandName,
    width: 'wide',
    body: `<h1>${escapeHtml(brandName)} API</h1>
<p class="quiet">Version ${escapeHtml(info.version)}. <a href="/openapi.json">openapi.json</a> has the same for programs, with the schema of every body and answer (OpenAPI 3.1).</p>
<p>Bodies and answers are JSON. A call that fails answers <code>success: false</code>, a <code>code</code> and a <code>message</code>. A rate-limited call says in <code>Retry-After</code> how many seconds to wait. Send a token as <code>Authorization: Bearer …</code>: a web token is what the website gets when you sign in; a personal access token is made in the dashboard, under Connections. The link itself, <code>${escapeHtml(url)}/mcp</code>, speaks MCP.</p>
<nav aria-label="Parts"><ul>
${list}
</ul></nav>
${sections.join('\n')}`,
  });
}

function renderCall(call: Call, url: string): string {
  const { operationId, method, path, summary, description, parameters, responses } = call;
  const failures = Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { description: texts }]) => texts.split(betweenErrors).map((text) => [status, text] as const));
  return `<details id="${operationId}">
<summary><code>${method} ${escapeHtml(path)}</code> <span>${escapeHtml(summary)}</span></summary>
<p>${escapeHtml(description)}</p>
${parameters.length === 0 ? '' : renderParameters(parameters)}
<h3>Example</h3>
<pre><code>${exampleCommand(call, url).map(escapeHtml).join('\n')}</code></pre>
<p>Schemas of the body and the answer: <a href="/openapi.json">openapi.json</a>, <code>${operationId}</code>.</p>
<h3>Errors</h3>
<ul>${failures.map(([status, text]) => `<li><code>${status}</code> ${escapeHtml(text)}</li>`).join('')}</ul>
</details>`;
}

function renderParameters(parameters: Operation['parameters']): string {
  const items = parameters.map(
    ({ name, in: where, required, description = '' }) =>
      `<li><code>${escapeHtml(name)}</code> (${where}${required ? ', required' : ''}): ${escapeHtml(description)}</li>`,
  );
  return `<h3>Parameters</h3>\n<ul>${items.join('')}</ul>`;
}

/** Returns the lines of a command for a terminal, with placeholders in braces or capitals. */
function exampleCommand({ method, path, security, requestBody }: Call, url: string): string[] {
  const body = requestBody && JSON.stringify(requestBody.content['application/json']?.example);
  const parts = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} '${url}${path}'`,
    ...(security === undefined ? [] : [`-H 'Authorization: Bearer TOKEN'`]),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d '${body}'`]),
  ];
  return parts.map((part, at) => `${at === 0 ? '' : '  '}${part}${at === parts.length - 1 ? '' : ' \\'}`);
}
