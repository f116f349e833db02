import { beforeAll, describe, expect, test } from 'vitest';
import { say, startImportShop, type ImportShop } from './testing/import-shop.ts';
import { publishedOddities, publishedPackages } from './testing/published-packages.ts';
import { publishedRemotes } from './testing/published-remotes.ts';

// Forty-one documents as registries publish them: each is imported, or refused with its exact reason.

let shop: ImportShop;
beforeAll(async () => {
  shop = await startImportShop();
  return () => shop.stop();
});

const published = { ...publishedRemotes, ...publishedPackages, ...publishedOddities };

const expected: Readonly<Record<string, readonly string[]>> = {
  'a remote without anything': [
    'ready example-harbour-tides 1.4.0 http https://mcp.harbour.example/mcp price 0',
    'note: If users sign in there, add "auth": { "type": "oauth" } to its manifest: its connection test shows whether they do.',
  ],
  'a remote with title, icons and a page': [
    'ready example-orchard-apples 2.0.1 http https://orchard.example/mcp price 0',
    'note: If users sign in there, add "auth": { "type": "oauth" } to its manifest: its connection test shows whether they do.',
  ],
  'a secret header with a fixed form': [
    'ready example-ledgerline-books 0.9.2 http https://api.ledgerline.example/mcp price 0',
    'secret: Authorization in UPSTREAM_HEADER_EXAMPLE_LEDGERLINE_BOOKS__AUTHORIZATION, A key of your workspace',
    'note: The value of its header Authorization has this form: Bearer {workspace_key}',
  ],
  'a secret header without a form': [
    'ready example-pigeon-post 3.1.0 http https://post.pigeon.example/v1/mcp price 0',
    'secret: X-Pigeon-Key in UPSTREAM_HEADER_EXAMPLE_PIGEON_POST__X_PIGEON_KEY, Your ring number',
  ],
  'optional headers, one of them a secret': [
    'ready example-quarry-stones 1.0.0 http https://quarry.example/mcp price 0',
    'secret: X-Quarry-Key in UPSTREAM_HEADER_EXAMPLE_QUARRY_STONES__X_QUARRY_KEY, Raises the limits',
    'note: Its header X-Quarry-Key is optional: take it out of "auth" where you have no value for it.',
    'note: Its optional header X-Region is left out (north or south).',
  ],
  'headers whose secret values stand in the document': [
    'ready example-turnpike-tolls 1.0.0 http https://turnpike.example/mcp price 0',
    'secret: X-Toll in UPSTREAM_HEADER_EXAMPLE_TURNPIKE_TOLLS__X_TOLL',
    'secret: X-Api-Key in UPSTREAM_HEADER_EXAMPLE_TURNPIKE_TOLLS__X_API_KEY',
    'note: The value of its header X-Toll in the document is not imported.',
    'note: Its header X-Toll is optional: take it out of "auth" where you have no value for it.',
    'note: The value of its header X-Api-Key in the document is not imported.',
  ],
  'a header whose value everyone knows': [
    'ready example-signal-lamps 1.1.0 http https://lamps.signal.example/mcp price 0',
    'secret: X-Client-Kind in UPSTREAM_HEADER_EXAMPLE_SIGNAL_LAMPS__X_CLIENT_KIND',
    'note: The value of its header X-Client-Kind is: registry',
  ],
  'a variable of the address with a default': [
    'ready example-meadow-herbs 1.2.3 http https://eu.meadow.example/mcp price 0',
    'note: If users sign in there, add "auth": { "type": "oauth" } to its manifest: its connection test shows whether they do.',
  ],
  'a variable of the address without a default': [
    'refused',
    'why: its address needs a value from you ({tenant}, "The name of your workspace"): write the whole address at remotes[0].url, and paste it here',
  ],
  'an address that begins with a variable': [
    'refused',
    'why: its address needs a value from you ({base_url}): write the whole address at remotes[0].url, and paste it here',
  ],
  'a secret variable of the address': [
    'refused',
    'why: its address carries a secret, which does not belong in a manifest: ask its author for one that takes a header',
  ],
  'an address of the older transport alone': [
    'refused',
    'why: its address https://engines.steam.example/sse speaks the older HTTP+SSE transport. Souk speaks Streamable HTTP: ask its author for that address',
  ],
  'both transports': [
    'ready example-steam-rails 0.2.0 http https://rails.steam.example/mcp price 0',
    'note: If users sign in there, add "auth": { "type": "oauth" } to its manifest: its connection test shows whether they do.',
    'note: Its server.json names one other way to run it.',
  ],
  'the names of 2025-07-09': [
    'ready io-github-old-mill-grain 1.0.9 http https://mill.example/mcp price 0',
    'secret: X-Mill-Token in UPSTREAM_HEADER_IO_GITHUB_OLD_MILL_GRAIN__X_MILL_TOKEN',
  ],
  'a private address': [
    'blocked example-cellar-wine 1.0.0 http http://10.1.2.3:8080/mcp price 0',
    'why: its address must be a public address, or one that the operator allows (UPSTREAM_ALLOW_ADDRESSES=10.1.2.3:8080)',
    'note: If users sign in there, add "auth": { "type": "oauth" } to its manifest: its connection test shows whether they do.',
  ],
  'a key in the path of the address': [
    'refused',
    'why: its address carries what looks like a secret (a part of its path), which does not belong in a manifest: use a header',
  ],
  'what a registry answers, deprecated': [
    'ready example-almanac-moons 2.2.0 http https://almanac.example/mcp price 0',
    'note: Its registry says that it is deprecated: use example.almanac/sky.',
    'note: If users sign in there, add "auth": { "type": "oauth" } to its manifest: its connection test shows whether they do.',
  ],
  'what a registry answers, deleted': ['refused', 'why: its registry has deleted it'],
  'an npm package with a secret': [
    'blocked io-github-lantern-works-lantern 1.6.0 stdio @lantern-works/lantern-mcp@1.6.0 price 0',
    'why: its program is not on the allow-list of programs: add the entry below to the file that STDIO_ALLOWLIST names (catalogue/stdio-allowlist.json where it names none), and restart Souk',
    'secret: LANTERN_TOKEN in UPSTREAM_ENV_IO_GITHUB_LANTERN_WORKS_LANTERN__LANTERN_TOKEN, From the app',
    'allow: {"npm":"@lantern-works/lantern-mcp@1.6.0","env":{"LANTERN_LOG":"info"},"secrets":["LANTERN_TOKEN"]}',
    'note: Optional variables that are left out: LANTERN_PROXY.',
    'note: Add "network": true to the entry if it talks to the internet.',
  ],
  'an npm package with arguments of each kind': [
    'blocked io-github-paperboat-sails 0.4.1 stdio paperboat-sails@0.4.1 price 0',
    'why: its program is not on the allow-list of programs: add the entry below to the file that STDIO_ALLOWLIST names (catalogue/stdio-allowlist.json where it names none), and restart Souk',
    'allow: {"npm":"paperboat-sails@0.4.1","args":["serve","--stdio","--units","knots","--boat","dinghy"]}',
    'note: Its optional argument --port is left out (Of the page).',
    'note: Its argument --boat may be repeated.',
    'note: Add "network": true to the entry if it talks to the internet.',
  ],
  'an npm package with an argument of yours': [
    'refused',
    'why: its argument chart_folder needs a value from you ("The folder with the charts"): write it as "value" at packages[0].packageArguments[0], and paste it here',
  ],
  'an npm package with a secret argument': [
    'refused',
    'why: it takes a secret as its argument --call-key, which every process can read: ask its author for a variable. Install it on this machine, and add an entry with "argv" for it to the allow-list of programs (docs/stdio.md)',
  ],
  'an npm package in the names of 2025-07-09': [
    'blocked io-github-old-mill-flour 1.0.2 stdio old-mill-flour@1.0.2 price 0',
    'why: its program is not on the allow-list of programs: add the entry below to the file that STDIO_ALLOWLIST names (catalogue/stdio-allowlist.json where it names none), and restart Souk',
    'secret: MILL_API_KEY in UPSTREAM_ENV_IO_GITHUB_OLD_MILL_FLOUR__MILL_API_KEY',
    'allow: {"npm":"old-mill-flour@1.0.2","args":["--kind","rye"],"secrets":["MILL_API_KEY"]}',
    'note: Add "network": true to the entry if it talks to the internet.',
  ],
  'a package named before there was an identifier': [
    'blocked io-github-old-mill-bread 0.0.3 stdio old-mill-bread@0.0.3 price 0',
    'why: its program is not on the allow-list of programs: add the entry below to the file that STDIO_ALLOWLIST names (catalogue/stdio-allowlist.json where it names none), and restart Souk',
    'allow: {"npm":"old-mill-bread@0.0.3"}',
    'note: Add "network": true to the entry if it talks to the internet.',
  ],
  'an npm package that answers over HTTP': [
    'refused',
    'why: the npm package kiln-pots answers over HTTP (http://localhost:{port}/mcp): start it yourself, and import its address',
  ],
  'an npm package without a version': [
    'blocked io-github-small-things-small 1.0.0 stdio @souk-test/small@1.0.0 price 0',
    'why: its program is not on the allow-list of programs: add the entry below to the file that STDIO_ALLOWLIST names (catalogue/stdio-allowlist.json where it names none), and restart Souk',
    'allow: {"npm":"@souk-test/small@1.0.0"}',
    'note: It has no exact version: npm currently has 1.0.0.',
    'note: Add "network": true to the entry if it talks to the internet.',
  ],
  'an npm package with a range': [
    'refused',
    'why: its version ^1.2.0 is a range: write an exact one, such as kiln-glaze@1.2.3',
  ],
  'an npm package that is no name of one': [
    'refused',
    'why: its package https://files.kiln.example/clay.tgz is not a valid npm name',
  ],
  'a PyPI package': [
    'blocked io-github-riverbank-otters 0.7.0 stdio uvx riverbank-otters==0.7.0 price 0',
    'why: its program is not on the allow-list of programs: add the entry below to the file that STDIO_ALLOWLIST names (catalogue/stdio-allowlist.json where it names none), and restart Souk',
    'allow: {"argv":["uvx","riverbank-otters==0.7.0"],"network":true}',
    'note: Give these variables a value in "env" of the entry: RIVER ("Which river").',
    'note: uvx has to be installed on this machine; it fetches the package from PyPI.',
  ],
  'a PyPI package with a command of another name': [
    'blocked io-github-riverbank-herons 2.4.1rc1 stdio uvx --from riverbank-suite==2.4.1rc1 herons-mcp price 0',
    'why: its program is not on the allow-list of programs: add the entry below to the file that STDIO_ALLOWLIST names (catalogue/stdio-allowlist.json where it names none), and restart Souk',
    'allow: {"argv":["uvx","--from","riverbank-suite==2.4.1rc1","herons-mcp"],"network":true}',
    'note: uvx has to be installed on this machine; it fetches the package from PyPI.',
  ],
  'a container image': [
    'refused',
    'why: it is a container image (ghcr.io/shipyard/crates-mcp:1.0.0): Souk starts no containers. Run it yourself so that it answers over HTTP, and import its address',
  ],
  'a NuGet package': [
    'refused',
    'why: it is a NuGet package (Bricklane.Walls.Mcp), which Souk does not install. Install it on this machine, and add an entry with "argv" for it to the allow-list of programs (docs/stdio.md)',
  ],
  'an MCP bundle': [
    'refused',
    'why: it is an MCPB bundle (https://github.com/inkwell/letters/releases/download/v1.0.2/letters.mcpb), which Souk does not unpack. Install it on this machine, and add an entry with "argv" for it to the allow-list of programs (docs/stdio.md)',
  ],
  'a kind of package that nobody installs here': [
    'refused',
    'why: Souk does not know packages of "cargo" (nails-mcp). Install it on this machine, and add an entry with "argv" for it to the allow-list of programs (docs/stdio.md)',
  ],
  'a container and an npm package': [
    'blocked io-github-tandem-wheels 1.3.0 stdio tandem-wheels@1.3.0 price 0',
    'why: its program is not on the allow-list of programs: add the entry below to the file that STDIO_ALLOWLIST names (catalogue/stdio-allowlist.json where it names none), and restart Souk',
    'allow: {"npm":"tandem-wheels@1.3.0"}',
    'note: Its server.json names one other way to run it.',
    'note: Add "network": true to the entry if it talks to the internet.',
  ],
  'an npm package and an address': [
    'ready io-github-tandem-bells 1.3.1 http https://bells.tandem.example/mcp price 0',
    'note: If users sign in there, add "auth": { "type": "oauth" } to its manifest: its connection test shows whether they do.',
    'note: Its server.json names one other way to run it.',
  ],
  'neither an address nor a package': ['refused', 'why: it names neither an address nor a package'],
  'lists that are null': [
    'ready example-nulls-void 1.0.0 http https://void.nulls.example/mcp price 0',
    'note: If users sign in there, add "auth": { "type": "oauth" } to its manifest: its connection test shows whether they do.',
  ],
  'a field of a wrong type': [
    'refused',
    'why: its server.json does not match the schema: packages[0].identifier must be a string',
  ],
  'a version with signs that ours have not': [
    'ready example-calendar-weeks 2026-11--week-48- http https://weeks.calendar.example/mcp price 0',
    'note: If users sign in there, add "auth": { "type": "oauth" } to its manifest: its connection test shows whether they do.',
  ],
  'a transport that no standard has': ['refused', 'why: Souk does not know the transport "grpc" of its address'],
};

describe('a server.json', () => {
  test('has forty-one examples here', () => {
    expect(Object.keys(published)).toHaveLength(41);
    expect(Object.keys(expected)).toEqual(Object.keys(published));
  });

  test.each(Object.entries(published))('%s', async (name, document) => {
    const [entry, ...others] = await shop.preview(JSON.stringify(document));
    expect(others).toEqual([]);
    expect(entry && say(entry)).toEqual(expected[name]);
  });

  test('has no value for a variable that it does not describe', async () => {
    const said = async (more: object) => {
      const [entry] = await shop.preview(JSON.stringify({ name: 'example.reed/bed', version: '1.0.0', ...more }));
      return entry ? say(entry) : [];
    };
    const packages = (given: object) => ({
      packages: [{ registryType: 'npm', identifier: 'reed-bed', version: '1.0.0', ...given }],
    });
    const at = (url: string, headers: object[] = []) => ({ remotes: [{ type: 'http', url, headers }] });
    expect(await said(at('https://reed.example/{tenant}'))).toEqual([
      'refused',
      'why: its address needs a value from you ({tenant}): write the whole address at remotes[0].url, and paste it here',
    ]);
    const header = { name: 'X-Reed', value: 'Reed {name}', isRequired: true };
    expect(await said(at('https://reed.example/mcp', [header]))).toContain(
      'note: The value of its header X-Reed has this form: Reed {name}',
    );
    expect(await said(packages({ packageArguments: [{ type: 'positional', value: '{folder}' }] }))).toEqual([
      'refused',
      'why: its argument argument needs a value from you ({folder}): write it as "value" at packages[0].packageArguments[0], and paste it here',
    ]);
    const environmentVariables = [{ name: 'REED_HOME', value: '{home}/reed' }];
    expect(await said(packages({ environmentVariables }))).toContain(
      'note: Give these variables a value in "env" of the entry: REED_HOME ({home}).',
    );
  });

  test('does not store a secret whose value it contains', async () => {
    const environmentVariables = [{ name: 'REED_TOKEN', value: 'canary-of-a-document' }];
    const packageArguments = [{ type: 'named', name: '--reed-key', value: 'canary-of-a-document' }];
    const given = { registryType: 'npm', identifier: 'reed-bed', version: '1.0.0' };
    const packages = [{ ...given, environmentVariables, packageArguments }];
    const [entry] = await shop.preview(JSON.stringify({ name: 'example.reed/bed', packages }));
    expect(JSON.stringify(entry)).not.toContain('canary-of-a-document');
    expect(entry?.notes).toEqual(
      expect.arrayContaining([
        'The value of its variable REED_TOKEN in the document is not imported.',
        'Its argument --reed-key carries a secret and is left out, since every process can read it.',
      ]),
    );
  });

  test('in a list, or as a registry returns it, is read like a single one', async () => {
    const documents = Object.values(published);
    const alone = await Promise.all(
      documents.map(async (document) => (await shop.preview(JSON.stringify(document)))[0]),
    );
    const said = (entries: Awaited<ReturnType<ImportShop['preview']>>) => entries.map((entry) => say(entry));
    expect(said(await shop.preview(JSON.stringify(documents)))).toEqual(alone.map((entry) => entry && say(entry)));
    const answer = { servers: documents, metadata: { count: documents.length } };
    expect(said(await shop.preview(JSON.stringify(answer)))).toEqual(alone.map((entry) => entry && say(entry)));
  });
});
