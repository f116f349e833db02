import { beforeAll, expect, test } from 'vitest';
import { say, startImportShop, type ImportShop } from './testing/import-shop.ts';

// Configurations in the formats of clients: every form is recognized, and no response contains their secrets.

const secret = 'canary-5b7d91c0a4';
let shop: ImportShop;
beforeAll(async () => {
  shop = await startImportShop();
  return () => shop.stop();
});

const json = (value: unknown) => JSON.stringify(value, null, 2);
const url = 'https://mcp.weir.example/mcp';
const weir = 'ready weir 1.0.0 http https://mcp.weir.example/mcp price 0';
const authorization = 'secret: Authorization in UPSTREAM_HEADER_WEIR__AUTHORIZATION';
const headers = { Authorization: `Bearer ${secret}` };
const bearerForm = 'note: The value of its header Authorization has this form: Bearer, a space and the token';
const settings = (...names: string[]) => `note: Left out, as settings of that client: ${names.join(', ')}.`;
const noPlace = ['refused', 'why: it has neither a url nor a command'];
/** Builds the entry of a program at version 2.1.0, with what the allow-list needs. */
const mill = (allow: object, ...notes: string[]) => [
  'blocked mill 1.0.0 stdio mill-mcp@2.1.0 price 0',
  notListed,
  `allow: ${JSON.stringify({ npm: 'mill-mcp@2.1.0', ...allow })}`,
  ...notes,
  mayNeedNetwork,
];
const notListed =
  'why: its program is not on the allow-list of programs: add the entry below to the file that STDIO_ALLOWLIST names (catalogue/stdio-allowlist.json where it names none), and restart Souk';
const mayNeedNetwork = 'note: Add "network": true to the entry if it talks to the internet.';
const byYourself =
  'Install it on this machine, and add an entry with "argv" for it to the allow-list of programs (docs/stdio.md)';
const command = (line: string, more: object = {}) => {
  const [program, ...args] = line.split(' ');
  return json({ mcpServers: { weir: { command: program, args, ...more } } });
};

const forms: readonly (readonly [name: string, text: string, ...said: (readonly string[])[]])[] = [
  ['Claude and Cursor', json({ mcpServers: { weir: { type: 'http', url, headers } } }), [weir, authorization]],
  ['Windsurf', json({ mcpServers: { weir: { serverUrl: url, headers } } }), [weir, authorization]],
  [
    'Gemini',
    json({ mcpServers: { weir: { httpUrl: url, headers, timeout: 5000 } } }),
    [weir, authorization, settings('timeout')],
  ],
  [
    'Cline, a server that is switched off',
    json({ mcpServers: { weir: { type: 'streamableHttp', url, disabled: true, autoApprove: [] } } }),
    [weir, 'note: It is switched off in that client.'],
  ],
  ['the inside of mcpServers alone', json({ weir: { url } }), [weir]],
  [
    'a bridge to an address',
    command(`npx -y mcp-remote ${url} --header Authorization:${secret}`),
    [weir, authorization],
  ],
  [
    'VS Code, with comments, inputs and an envFile',
    `{
      // of the team
      "inputs": [{ "type": "promptString", "id": "weir-key", "description": "Key", "password": true }],
      "servers": {
        "weir": { "type": "http", "url": "${url}", "headers": { "Authorization": "Bearer \${input:weir-key}" } },
        "mill": { "command": "npx", "args": ["-y", "mill-mcp@2.1.0", "--quiet"], "envFile": "\${workspaceFolder}/.env", "env": { "MILL_KEY": "${secret}" } },
      },
    }`,
    [weir, authorization],
    [
      'blocked mill 1.0.0 stdio mill-mcp@2.1.0 price 0',
      notListed,
      'secret: MILL_KEY in UPSTREAM_ENV_MILL__MILL_KEY',
      'allow: {"npm":"mill-mcp@2.1.0","args":["--quiet"],"secrets":["MILL_KEY"]}',
      'note: Its envFile (${workspaceFolder}/.env) is not read. Name the variables in it: secrets in "secrets" of the entry, others in "env".',
      mayNeedNetwork,
    ],
  ],
  ['the settings of VS Code', json({ 'editor.tabSize': 2, mcp: { servers: { weir: { url } } } }), [weir]],
  [
    'opencode',
    json({
      $schema: 'https://opencode.ai/config.json',
      mcp: {
        weir: { type: 'remote', url, enabled: false, headers },
        mill: {
          type: 'local',
          command: ['bunx', '@mill/mcp@2.1.0', '--kind', 'rye'],
          environment: { MILL_TOKEN: secret, MILL_LOG: 'debug' },
        },
      },
    }),
    [weir, authorization, 'note: It is switched off in that client.'],
    [
      'blocked mill 1.0.0 stdio @mill/mcp@2.1.0 price 0',
      notListed,
      'secret: MILL_TOKEN in UPSTREAM_ENV_MILL__MILL_TOKEN',
      'allow: {"npm":"@mill/mcp@2.1.0","args":["--kind","rye"],"env":{"MILL_LOG":"debug"},"secrets":["MILL_TOKEN"]}',
      mayNeedNetwork,
    ],
  ],
  [
    'Zed, today and before, and an extension of it',
    json({
      context_servers: {
        weir: { source: 'custom', url },
        mill: { command: { path: 'uvx', args: ['mill-mcp==0.3.1'], env: {} }, settings: {} },
        reeds: { source: 'extension', settings: { token: secret } },
      },
    }),
    [weir],
    [
      'blocked mill 1.0.0 stdio uvx mill-mcp==0.3.1 price 0',
      notListed,
      'allow: {"argv":["uvx","mill-mcp==0.3.1"],"network":true}',
      'note: uvx has to be installed on this machine; it fetches the package from PyPI.',
    ],
    ['refused', 'why: it is an extension of the editor: its settings do not say how it is started'],
  ],
  [
    "Codex's TOML",
    `# of Codex
model = "any"

[mcp_servers.weir]
url = "${url}"
bearer_token_env_var = "WEIR_TOKEN"

[mcp_servers.mill]
command = "npx"
args = ["-y", "mill-mcp@2.1.0"]
env_vars = ["MILL_HOME"]

[mcp_servers.mill.env]
MILL_TOKEN = "${secret}"
`,
    [weir, authorization, bearerForm],
    [
      'blocked mill 1.0.0 stdio mill-mcp@2.1.0 price 0',
      notListed,
      'secret: MILL_TOKEN in UPSTREAM_ENV_MILL__MILL_TOKEN',
      'secret: MILL_HOME in UPSTREAM_ENV_MILL__MILL_HOME',
      'allow: {"npm":"mill-mcp@2.1.0","secrets":["MILL_TOKEN","MILL_HOME"]}',
      mayNeedNetwork,
    ],
  ],
  [
    "the headers of Codex's TOML",
    `[mcp_servers.weir]
url = "${url}"
http_headers = { "X-Weir-Key" = "${secret}" }
env_http_headers = { "X-Weir-Region" = "WEIR_REGION" }
startup_timeout_sec = 20
`,
    [
      weir,
      'secret: X-Weir-Key in UPSTREAM_HEADER_WEIR__X_WEIR_KEY',
      'secret: X-Weir-Region in UPSTREAM_HEADER_WEIR__X_WEIR_REGION',
      settings('startup_timeout_sec'),
    ],
  ],
  [
    'lists of names and values',
    json({
      mcpServers: {
        weir: { url, headers: [{ name: 'Authorization', value: secret }] },
        mill: {
          command: 'npx',
          args: ['-y', 'mill-mcp@2.1.0'],
          env: [
            { name: 'MILL_TOKEN', value: secret },
            { name: 'MILL_LOG', value: 'debug' },
          ],
        },
      },
    }),
    [weir, authorization],
    [
      'blocked mill 1.0.0 stdio mill-mcp@2.1.0 price 0',
      notListed,
      'secret: MILL_TOKEN in UPSTREAM_ENV_MILL__MILL_TOKEN',
      'allow: {"npm":"mill-mcp@2.1.0","env":{"MILL_LOG":"debug"},"secrets":["MILL_TOKEN"]}',
      mayNeedNetwork,
    ],
  ],
  [
    'lists of texts',
    json({
      mcpServers: {
        weir: { url, headers: [`Authorization: ${secret}`] },
        mill: {
          command: 'npx',
          args: ['mill-mcp@2.1.0'],
          env: [`MILL_TOKEN=${secret}`, 'MILL_LOG=debug', 'MILL_HOME'],
        },
      },
    }),
    [weir, authorization],
    [
      'blocked mill 1.0.0 stdio mill-mcp@2.1.0 price 0',
      notListed,
      'secret: MILL_TOKEN in UPSTREAM_ENV_MILL__MILL_TOKEN',
      'secret: MILL_HOME in UPSTREAM_ENV_MILL__MILL_HOME',
      'allow: {"npm":"mill-mcp@2.1.0","env":{"MILL_LOG":"debug"},"secrets":["MILL_TOKEN","MILL_HOME"]}',
      mayNeedNetwork,
    ],
  ],
  [
    'an authorization with its scheme',
    json({ mcpServers: { weir: { url, authorization: `Bearer ${secret}` } } }),
    [weir, authorization],
  ],
  ...['authorization', 'authorization_token', 'bearer_token', 'bearerToken', 'accessToken'].map(
    (member) =>
      [
        `a token as ${member}`,
        json({ mcpServers: { weir: { url, [member]: secret } } }),
        [weir, authorization, bearerForm],
      ] as const,
  ),
  [
    'a token in auth',
    json({ mcpServers: { weir: { url, auth: { type: 'bearer', token: secret } } } }),
    [weir, authorization, bearerForm],
  ],
  [
    'a key in auth',
    json({ mcpServers: { weir: { url, auth: { type: 'apiKey', name: 'X-Weir-Key', value: secret } } } }),
    [weir, 'secret: X-Weir-Key in UPSTREAM_HEADER_WEIR__X_WEIR_KEY'],
  ],
  [
    'headers and a sign-in',
    json({ mcpServers: { weir: { url, headers, oauth: { clientId: 'weir', clientSecret: secret } } } }),
    [weir, authorization, 'note: Its sign-in (OAuth) is left out, since it has headers: a manifest has either.'],
  ],
  [
    'an auth that says nothing of use',
    json({ mcpServers: { weir: { url, auth: { type: 'handshake', value: secret } } } }),
    [
      'refused',
      'why: its "auth" does not say how it signs in: write "headers" with the names of its headers, or "auth": "oauth"',
    ],
  ],
  [
    'members of another shape',
    json({
      mcpServers: {
        a: { url, headers: 5 },
        b: { url, headers: [{ value: secret }] },
        c: { url: 5 },
        d: { command: 'npx', args: 'mill-mcp@2.1.0' },
        e: { command: 'npx', args: ['mill-mcp@2.1.0'], env: secret },
        f: { command: 'npx mill-mcp@2.1.0' },
        g: { url, authorization: 5 },
        h: secret,
      },
    }),
    ['refused', 'why: its "headers" has to be an object of names and values'],
    ['refused', 'why: its "headers[0]" has to be { "name": …, "value": … }'],
    ['refused', 'why: its "url" has to be a text'],
    ['refused', 'why: its "args" has to be a list of texts'],
    ['refused', 'why: its "env" has to be an object of names and values'],
    [
      'refused',
      'why: its "command" has several words: write the first as "command", and the others as a list in "args"',
    ],
    ['refused', 'why: its "authorization" has to be a text'],
    noPlace,
  ],
  ['one entry alone', json({ name: 'weir', url, headers }), [weir, authorization]],
  ['one level deeper', json({ weir: { transport: { type: 'http', url, headers } } }), [weir, authorization]],
  [
    'a list of entries, addresses and something else',
    json([{ name: 'weir', url }, { server_label: 'mill', server_url: 'https://mill.example/mcp' }, {}, url, 7]),
    [weir],
    ['ready mill 1.0.0 http https://mill.example/mcp price 0'],
    noPlace,
    ['ready mcp-weir-example 1.0.0 http https://mcp.weir.example/mcp price 0'],
    noPlace,
  ],
  ['a table that is a list', json({ servers: [{ name: 'weir', url }, { name: 'mill' }] }), [weir], noPlace],
  [
    'several tables',
    json({
      mcpServers: { weir: { url } },
      servers: { mill: { url: 'https://mill.example/mcp' } },
      projects: { '/home/ann': { mcpServers: { reeds: { url: 'https://reeds.example/mcp' } } } },
    }),
    [weir],
    ['ready mill 1.0.0 http https://mill.example/mcp price 0'],
    ['ready reeds 1.0.0 http https://reeds.example/mcp price 0'],
  ],
  ['an entry without a place beside others', json({ weir: { url }, mill: { title: 'Mill' } }), [weir], noPlace],
  [
    'settings and secrets that a server at an address has no use for',
    json({
      mcpServers: {
        weir: { url, timeout: 5, trust: true, alwaysAllow: ['a'], apiKey: secret, env: { WEIR_KEY: secret }, cwd: '/' },
      },
    }),
    [
      weir,
      'note: Left out, though it may contain a secret: apiKey, env (WEIR_KEY). Write the header that carries it in "headers"; its value is entered here.',
      settings('timeout', 'trust', 'alwaysAllow', 'cwd'),
    ],
  ],
  [
    'settings and secrets that a program has no use for',
    json({
      mcpServers: {
        mill: {
          command: 'npx',
          args: ['mill-mcp@2.1.0'],
          cwd: '/srv',
          timeout: 5,
          headers,
          oauth: { clientSecret: secret },
        },
      },
    }),
    mill(
      {},
      'note: Its working folder is left out: here a program runs in its own folder. Use absolute paths in its arguments.',
      'note: Left out, though it may contain a secret: headers (Authorization), oauth. Name the variable that carries it in "secrets" of the entry; its value is entered here.',
      settings('timeout'),
    ),
  ],
  [
    'the options of a bridge, and its variables',
    command(`npx -y mcp-remote@latest ${url} 3334 --header Authorization:\${KEY} --allow-http --transport sse-only`, {
      env: { KEY: secret },
    }),
    [
      weir,
      authorization,
      'note: It is configured for the older HTTP+SSE transport. Souk speaks Streamable HTTP: ask for that address, often /mcp.',
      'note: Left out, as options of mcp-remote: --allow-http, --transport.',
      'note: Left out, though it may contain a secret: env (KEY). Enter the values of its headers here.',
    ],
  ],
  ...['https://{host}/mcp', 'https://a.example/{host}/mcp', 'https://a.example/mcp?tenant={host}'].map(
    (address) =>
      [
        `a part of an address that only you know: ${address}`,
        json({ mcpServers: { weir: { url: address } } }),
        ['refused', 'why: its address has {host} in it, whose value only you know: write the whole address'],
      ] as const,
  ),
  [
    'secrets under harmless names',
    json({
      mcpServers: {
        mill: {
          command: 'npx',
          args: ['mill-mcp@2.1.0'],
          env: { DB_USER: 'canary', DB_PASS: '12345', MILL_PORT: '8080', MILL_MODE: 'production' },
        },
      },
    }),
    [
      'blocked mill 1.0.0 stdio mill-mcp@2.1.0 price 0',
      notListed,
      'secret: DB_USER in UPSTREAM_ENV_MILL__DB_USER',
      'secret: DB_PASS in UPSTREAM_ENV_MILL__DB_PASS',
      'allow: {"npm":"mill-mcp@2.1.0","env":{"MILL_PORT":"8080","MILL_MODE":"production"},"secrets":["DB_USER","DB_PASS"]}',
      mayNeedNetwork,
    ],
  ],
  [
    'secrets in arguments of every kind',
    json({
      mcpServers: {
        mill: {
          command: 'npx',
          args: [
            'mill-mcp@2.1.0',
            '--db',
            `postgres://mill:${secret}@db.example/mill`,
            `https://mill.example/?api_key=${secret}`,
            JSON.stringify({ apiKey: secret }),
            '--project',
            'Zx81kQ0pLw93mmT2bYc7aa55',
            '--verbose',
          ],
        },
      },
    }),
    mill(
      { args: ['--verbose'] },
      'note: Arguments that carry a secret are left out, since every process can read them: give it in a variable of "secrets".',
    ),
  ],
  [
    'a secret in the line of a shell',
    json({ mcpServers: { mill: { command: 'sh', args: ['-c', `MILL_TOKEN=${secret} npx mill-mcp`] } } }),
    [
      'refused',
      'why: its shell command contains a secret: write the program as "command" and "args", and the secret in "env"',
    ],
  ],
  [
    'npx without a version',
    command('npx -y @souk-test/small --verbose'),
    [
      'blocked weir 1.0.0 stdio @souk-test/small@1.0.0 price 0',
      notListed,
      'allow: {"npm":"@souk-test/small@1.0.0","args":["--verbose"]}',
      'note: It has no exact version: npm currently has 1.0.0.',
      mayNeedNetwork,
    ],
  ],
  [
    'npx at a tag, by way of cmd',
    command('cmd /c npx -y @souk-test/small@latest'),
    [
      'blocked weir 1.0.0 stdio @souk-test/small@1.0.0 price 0',
      notListed,
      'allow: {"npm":"@souk-test/small@1.0.0"}',
      'note: It has no exact version: npm currently has 1.0.0.',
      mayNeedNetwork,
    ],
  ],
  [
    'npx at a tag that there is not',
    command('npx -y @souk-test/small@canary'),
    [
      'refused',
      'why: it has no exact version, and the lookup at npm failed: it has no version "canary". Write one, such as @souk-test/small@1.2.3',
    ],
  ],
  [
    'a command of a package',
    command('npx --yes --package=mill-suite@1.0.0 mill-mcp serve'),
    [
      'blocked weir 1.0.0 stdio mill-suite@1.0.0 price 0',
      notListed,
      'allow: {"npm":"mill-suite@1.0.0","bin":"mill-mcp","args":["serve"]}',
      mayNeedNetwork,
    ],
  ],
  [
    'npx of a repository at GitHub',
    command('npx -y github:weir/mcp'),
    [
      'refused',
      `why: its package github:weir/mcp is the code of a git repository. Souk accepts packages from npm at an exact version. ${byYourself}`,
    ],
  ],
  [
    'npx of a repository in short',
    command('npx weir/mcp#main'),
    [
      'refused',
      `why: its package weir/mcp#main is the code of a git repository. Souk accepts packages from npm at an exact version. ${byYourself}`,
    ],
  ],
  [
    'npx of an archive',
    command('npx -y https://weir.example/mcp.tgz'),
    [
      'refused',
      `why: its package https://weir.example/mcp.tgz is an archive at an address. Souk accepts packages from npm at an exact version. ${byYourself}`,
    ],
  ],
  [
    'uvx of a repository',
    command('uvx --from git+https://github.com/weir/mcp weir-mcp'),
    [
      'refused',
      `why: its package git+https://github.com/weir/mcp is the code of a git repository. Souk accepts packages from PyPI at an exact version. ${byYourself}`,
    ],
  ],
  [
    'a range of versions',
    command('npx weir-mcp@^1.2.0'),
    ['refused', 'why: its version ^1.2.0 is a range: write an exact one, such as weir-mcp@1.2.3'],
  ],
  [
    'docker',
    command(`docker run -i --rm -e WEIR_KEY=${secret} --mount type=bind,src=/a,dst=/b ghcr.io/weir/mcp:1.0 --stdio`),
    [
      'refused',
      'why: it is a container image (ghcr.io/weir/mcp:1.0): Souk starts no containers. Run it yourself so that it answers over HTTP, and import its address',
    ],
  ],
  [
    'an argument that the client fills in',
    command('npx weir-mcp@1.0.0 ${workspaceFolder}'),
    ['refused', 'why: its arguments name ${workspaceFolder}, which only that client fills in: write the value instead'],
  ],
  [
    'a program of the machine',
    command(`/opt/weir/bin/weir-mcp --port 1 --api-key ${secret}`, { env: { WEIR_LEVEL: '3', my_key: secret } }),
    [
      'blocked weir 1.0.0 stdio /opt/weir/bin/weir-mcp --port 1 price 0',
      notListed,
      'allow: {"argv":["/opt/weir/bin/weir-mcp","--port","1"],"env":{"WEIR_LEVEL":"3"}}',
      'note: Arguments that carry a secret are left out, since every process can read them: give it in a variable of "secrets".',
      'note: Add these variables to "env" of the entry yourself: my_key.',
      mayNeedNetwork,
    ],
  ],
  [
    'a key in the address',
    json({ mcpServers: { weir: { url: `${url}?api_key=${secret}` } } }),
    ['refused', 'why: its address carries a secret (?api_key=), which does not belong in a manifest: use a header'],
  ],
  [
    'a manifest of ours',
    json({ id: 'weir', name: 'Weir', serviceType: 'mcp', connection: { type: 'http', url }, slug: 'Not a slug' }),
    ['refused', 'why: slug must be 1 to 12 of a-z, 0-9 and -, beginning with a letter or digit'],
  ],
];

test.each(forms.map(([name, text, ...said]) => [name, text, said] as const))('%s', async (_name, text, said) => {
  const answer = await shop.preview(text);
  expect(answer.map((entry) => say(entry))).toEqual(said);
  expect(JSON.stringify(answer)).not.toContain(secret);
});

test.each<[string, object, object]>([
  ['a word', { auth: 'oauth' }, {}],
  ['scopes of Codex', { scopes: ['read', 'write'] }, { scopes: ['read', 'write'] }],
  ['a text of scopes', { oauth: { scope: 'read write' } }, { scopes: ['read', 'write'] }],
  ['a type', { auth: { type: 'oauth2' } }, {}],
])('a server that requires sign-in requires it here too: %s', async (_what, members, auth) => {
  const [entry] = await shop.preview(json({ mcpServers: { weir: { url, ...members } } }));
  expect(entry).toMatchObject({ result: 'ready', notes: [], secrets: [] });
  expect(entry?.manifest?.['auth']).toEqual({ type: 'oauth', ...auth });
});

test('the client registration of another product is not imported, and is named', async () => {
  const oauth = { clientId: 'weir', clientSecret: secret };
  const [entry] = await shop.preview(json({ mcpServers: { weir: { url, oauth } } }));
  expect(entry?.manifest?.['auth']).toEqual({ type: 'oauth' });
  expect(entry?.notes).toEqual([
    'Left out: clientId, clientSecret. That client was registered for another address. Souk registers its own.',
  ]);
  expect(JSON.stringify(entry)).not.toContain(secret);
});

test('title and description of an entry become those of its server', async () => {
  const [entry] = await shop.preview(json({ mcpServers: { weir: { url, title: 'Weir', description: 'Water.' } } }));
  expect(entry?.manifest).toMatchObject({ name: 'Weir', description: 'Water.' });
  expect(entry?.notes).toEqual([]);
});

test('none of the secrets is in the log or in the database', async () => {
  expect(shop.app.logged()).not.toContain(secret);
  const { rows } = await shop.app.db.query('select * from manifest_versions');
  expect(rows).toEqual([]);
});

const mebibyte = 1024 * 1024;
test.each([
  ['', /^The text is empty\.$/],
  ['{"mcpServers": {"a": {"url": }}}', /^The text is not valid JSON: \} is not expected at line 1, column 30\.$/],
  ['{"a": 1}', /^The text names no server: it needs "mcpServers"/],
  ['{"mcpServers": {"a": {}, "a": {}}}', /^The text \(mcpServers\.a\) is a duplicate key\.$/],
  ['[mcp_servers.a]\nurl = ', /^The text is not valid TOML at line 2, column 7\.$/],
  [`{"mcpServers": {\n"a": ${'"x'.padEnd(200_000, 'x')}",\n]}}`, /^The text is not valid JSON at line 3, column 1 /],
  ['x'.repeat(mebibyte + 1), /^The text is larger than 1 MiB: paste the part with the servers alone\.$/],
  [json(Array.from({ length: 201 }, () => ({ id: 'a', connection: {} }))), /^The text names more than 200 servers\.$/],
])('a text that is not a configuration is refused with the position: %.40s', async (text, message) => {
  const refused: unknown = await shop.preview(text).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'import_unreadable', status: 400, message: expect.stringMatching(message) });
});
