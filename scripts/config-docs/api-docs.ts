import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { markdownTable } from '../../bench/report/markdown-table.ts';

const documentSchema = z.object({
  tags: z.array(z.object({ name: z.string() })),
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ tags: z.array(z.string()), summary: z.string(), description: z.string() })),
  ),
});

const intro = `# The API

<!-- npm run config-docs writes this page from openapi.json -->

This page lists the calls. A running shop shows each with its parameters, an example and its errors at \`/docs/api\`. It serves
[openapi.json](../openapi.json), which also has the schemas of bodies and responses, at \`/openapi.json\`. Bodies and responses are JSON.
A failed call returns \`success: false\`, a \`code\` and a readable \`message\`; after too many calls, \`Retry-After\` says how many seconds to
wait.

- **Who**: the website gets a web token when a user signs in. A personal access token comes from the dashboard
  (Connections) or from \`souk token create\`. Either is sent as \`Authorization: Bearer …\`.
- **Rates** are limited per user and address. Calls that cost more than about a millisecond count as several requests.
- **The link** itself is MCP: \`POST /mcp\`, or \`/mcp/SERVICE\` for one service ([clients](clients.md)). The OAuth server's addresses are in
  \`/.well-known/oauth-authorization-server\`.
`;

export function apiDocs(): string {
  const text = readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8');
  const { tags, paths } = documentSchema.parse(JSON.parse(text));
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([
        method,
        {
          tags: [part],
          summary,
          description,
        },
      ]) => ({
        part,
        row: [
          `\`${method.toUpperCase()} ${path}\``,
          summary.replaceAll('|', '\\|'),
          (description.split('. ')[0] ?? '').replace(/\.$/, ''),
        ],
      }),
    ),
  );
  const sections = tags.map(({ name }) => {
    const rows = calls.filter(({ part }) => part === name).map(({ row }) => row);
    return `## ${name}\n\n${markdownTable(['call', 'what it does', 'who'], rows)}`;
  });
  return `${[intro.trimEnd(), ...sections].join('\n\n')}\n`;
}
