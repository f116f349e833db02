import type { ServerStatus } from '@souk/contract/catalogue.ts';
import type { FastifyInstance } from 'fastify';
import type { Catalogue, CatalogueServer } from '#features/catalogue/index.ts';
import type { Config } from '#platform/config.ts';
import { SoukError } from '#platform/errors.ts';
import { escapeHtml, renderPage, sendPage } from '#platform/http/page.ts';

const statusTexts: Record<ServerStatus, string> = {
  connected: 'Connected',
  disconnected: 'Disconnected',
  error: 'Error',
};

/** A plain first page at /: the link, how to paste it, and the services behind it with their live status. */
export function mountFirstPage(
  app: FastifyInstance,
  { config, catalogue }: { config: Config; catalogue: Catalogue },
): void {
  app.setNotFoundHandler(() => {
    throw new SoukError('not_found');
  });
  app.get('/', (_request, reply) =>
    sendPage(
      reply,
      200,
      renderPage({
        title: 'One link for every tool',
        brandName: config.brandName,
        body: body(config, catalogue),
        width: 'wide',
      }),
    ),
  );
}

function body(config: Config, catalogue: Catalogue): string {
  const link = `${config.publicUrl}/mcp`;
  const { servers } = catalogue.snapshot();
  return `
<h1>One link for every tool</h1>
<p>Paste this link into Claude, ChatGPT, VS Code or any other MCP client. It signs you in by itself, and every service below that you may use is there.</p>
<p><code class="link">${escapeHtml(link)}</code></p>
<h2>Connect a client</h2>
<ul>
  <li>Claude Code: <code>claude mcp add --transport http souk ${escapeHtml(link)}</code></li>
  <li>Codex: <code>codex mcp add souk --url ${escapeHtml(link)}</code></li>
  <li>VS Code, in <code>.vscode/mcp.json</code>: <code>{"servers":{"souk":{"type":"http","url":"${escapeHtml(link)}"}}}</code></li>
  <li>Clients that only start programs: <code>npx -y mcp-remote ${escapeHtml(link)}</code></li>
</ul>
<h2>Services</h2>
${servers.length === 0 ? '<p>No service is deployed yet.</p>' : table(servers)}
`;
}

function table(servers: readonly CatalogueServer[]): string {
  const rows = servers.map((server) => {
    const detail = server.statusDetail ? ` <span class="detail">${escapeHtml(server.statusDetail)}</span>` : '';
    return `<tr>
  <td><strong>${escapeHtml(server.manifest.name)}</strong><br><span class="muted">${escapeHtml(server.manifest.description)}</span></td>
  <td>${server.manifest.billing?.tier ?? 'T0'}</td>
  <td class="number">${server.tools.length}<span class="unit"> ${server.tools.length === 1 ? 'tool' : 'tools'}</span></td>
  <td><span class="status ${server.status}">${statusTexts[server.status]}</span>${detail}</td>
</tr>`;
  });
  return `<div class="scroll"><table>
<thead><tr><th>Service</th><th>Tier</th><th class="number">Tools</th><th>Status</th></tr></thead>
<tbody>${rows.join('\n')}</tbody>
</table></div>`;
}
