import { describe, expect, test } from 'vitest';
import { SoukError } from '#platform/errors.ts';
import { createUpstreamAddressRule } from '#platform/http/outgoing/upstream-address-rule.ts';
import { parseManifest, type ManifestPolicy } from './parse-manifest.ts';

const policy: ManifestPolicy = {
  stdioAliases: new Set(['memory']),
  services: new Set(['travel']),
  addressProblem: createUpstreamAddressRule({ production: false, allowAddresses: [] }),
};

const valid = {
  id: 'weather',
  name: 'Weather',
  serviceType: 'mcp',
  version: '1.0.0',
  description: 'Forecasts for any place.',
  category: 'data',
  connection: { type: 'http', url: 'https://weather.example.com/mcp' },
};

function problemOf(change: object | string | Uint8Array, over: Partial<ManifestPolicy> = {}) {
  const source =
    typeof change === 'string' || change instanceof Uint8Array ? change : JSON.stringify({ ...valid, ...change });
  try {
    parseManifest(source, { ...policy, ...over });
  } catch (error) {
    if (!(error instanceof SoukError)) throw error;
    return {
      code: error.code,
      status: error.status,
      message: error.message,
      paths: (error.issues ?? []).map((i) => i.path),
    };
  }
  throw new Error('the manifest was accepted');
}

describe('a manifest', () => {
  test('with only the required fields is accepted, and defaults are filled in', () => {
    const manifest = parseManifest(JSON.stringify(valid), policy);
    expect(manifest).toMatchObject({
      auth: { type: 'none' },
      deadlines: { connectMs: 5000, listMs: 10_000, callMs: 60_000 },
      maxInFlight: 64,
      features: [],
    });
  });

  test('[NUM-3] a rental without a currency costs US dollars', () => {
    const manifest = parseManifest(
      JSON.stringify({ ...valid, billing: { tier: 'T1', rental: { price: 900 } } }),
      policy,
    );
    expect(manifest.billing?.rental).toMatchObject({ price: 900, currency: 'USD' });
  });

  test('names all invalid fields together, each with its path', () => {
    const problem = problemOf({
      version: '',
      category: 'games',
      featured: 0,
      deadlines: { callMs: 400_000 },
      maxInFlight: 0,
      slug: 'Not Good',
      features: ['ok', ''],
      billing: { tier: 'T9', rental: { price: 1.5 }, toolCosts: { forecast: -1 }, trialDays: 0 },
      color: 'red',
    });
    expect(problem.code).toBe('manifest_invalid');
    expect(problem.status).toBe(400);
    expect(new Set(problem.paths)).toEqual(
      new Set([
        'version',
        'category',
        'featured',
        'deadlines.callMs',
        'maxInFlight',
        'slug',
        'features[1]',
        'billing.tier',
        'billing.rental.price',
        'billing.toolCosts.forecast',
        'billing.trialDays',
        'color',
      ]),
    );
    expect(problem.message).toContain('color');
  });

  test.each(['id', 'name', 'serviceType'])('without %s is refused with the text of the specification', (field) => {
    const problem = problemOf({ [field]: undefined });
    expect(problem.message).toBe('Invalid manifest: Missing required fields (id, name, serviceType)');
    expect(problem.paths).toContain(field);
  });

  test.each([
    '../../x',
    '__proto__',
    'Weather',
    '-weather',
    'a'.repeat(64),
    'we ather',
    'wéather',
    '',
    'oauth',
    'info',
    'health',
    'tools',
    'prompts',
    'resources',
    'capabilities',
    'callback',
    'refresh',
  ])('[GEN-42] [GEN-43] security row 31: the id %j is refused by its field', (id) => {
    expect(problemOf({ id })).toMatchObject({ code: 'manifest_invalid', paths: ['id'] });
  });

  test('reports one fault once: a field that was filled in from others has no fault of its own', () => {
    const sent = { id: 'weather', name: 'x'.repeat(600), serviceType: 'mcp', connection: valid.connection };
    expect(problemOf(JSON.stringify(sent)).paths).toEqual(['name']);
    expect(problemOf(JSON.stringify({ ...sent, name: 7 })).paths).toEqual(['name']);
    expect(problemOf(JSON.stringify({ ...sent, name: undefined })).paths).toEqual(['name']);
    const described = { ...sent, name: 'Weather', description: '' };
    expect(problemOf(JSON.stringify(described)).paths).toEqual(['description']);
  });

  test('security row 31: a byte order mark, NUL, invalid UTF-8 and duplicate keys are refused', () => {
    const text = JSON.stringify(valid);
    expect(problemOf(`\uFEFF${text}`).message).toContain('byte order mark');
    expect(problemOf(Buffer.from(`\uFEFF${text}`)).message).toContain('byte order mark');
    expect(problemOf(text.replace('Weather', 'Wea\0ther')).message).toContain('NUL');
    expect(problemOf(text.replace('Weather', String.raw`Wea\u0000ther`)).message).toContain('NUL');
    expect(problemOf(Buffer.from([0x7b, 0xff, 0x7d])).message).toBe('Invalid manifest: is not valid UTF-8');
    const utf16 = Buffer.from(`\uFEFF${text}`, 'utf16le');
    for (const bytes of [utf16, Buffer.from(utf16).swap16()])
      expect(problemOf(bytes).message).toBe('Invalid manifest: is UTF-16: save it as UTF-8');
    expect(problemOf(text.replace('"name":"Weather"', '"name":"Weather","name":"Other"'))).toMatchObject({
      code: 'manifest_invalid',
      paths: ['name'],
    });
    expect(problemOf(text.replace('"url"', '"type":"http","url"')).paths).toEqual(['connection.type']);
  });

  test('security row 31: __proto__ and constructor are refused as names of fields, at every depth', () => {
    const text = JSON.stringify(valid);
    expect(problemOf(text.replace('"name"', '"__proto__":{"x":1},"name"')).paths).toEqual(['__proto__']);
    expect(problemOf(text.replace('"url"', '"constructor":1,"url"')).paths).toEqual(['connection.constructor']);
  });

  test('that is not JSON, too deep or larger than 256 KiB is refused', () => {
    const notJson = (text: string) => problemOf(text).message.replace('Invalid manifest: is not valid JSON: ', '');
    expect(notJson('{"id":')).toBe('it ends before every bracket and quote is closed');
    expect(notJson('{"id":"a')).toBe('it ends before every bracket and quote is closed');
    expect(notJson('// comment\n{}')).toBe('“/” is not expected at line 1, column 1');
    expect(notJson('{"id": }')).toBe('} is not expected at line 1, column 8');
    expect(notJson("{'id': 1}")).toBe("“'” is not expected at line 1, column 2");
    expect(notJson('{"id": "a" "b"}')).toBe('a text is not expected at line 1, column 12');
    expect(problemOf(`${'['.repeat(70)}${']'.repeat(70)}`).message).toContain('nested deeper');
    expect(problemOf({ description: 'x'.repeat(300_000) }).message).toContain('256 KiB');
    expect(problemOf('[]').code).toBe('manifest_invalid');
    expect(problemOf('null').code).toBe('manifest_invalid');
  });

  test.each([
    'http://2130706433/',
    'http://0x7f.1/',
    'http://127.0.0.1:3000/mcp',
    'https://[::ffff:127.0.0.1]/',
    'https://localhost/mcp',
    'https://169.254.169.254/latest',
    'http://１２７.0.0.1/',
  ])('security row 28: the address %s is refused as url_not_allowed', (url) => {
    expect(problemOf({ connection: { type: 'http', url } })).toMatchObject({
      code: 'url_not_allowed',
      status: 400,
      paths: ['connection.url'],
    });
  });

  test.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'ftp://example.com/',
    'not an address',
    'https://user:pw@example.com/',
  ])('the address %s is refused as a field', (url) => {
    expect(problemOf({ connection: { type: 'http', url } })).toMatchObject({
      code: 'manifest_invalid',
      paths: ['connection.url'],
    });
  });

  test('the refusal of a private address names the field, the rule and the variable that allows it', () => {
    expect(problemOf({ connection: { type: 'http', url: 'http://10.0.0.5:8080/mcp' } }).message).toBe(
      'connection.url: must be a public address, or one that the operator allows (UPSTREAM_ALLOW_ADDRESSES=10.0.0.5:8080)',
    );
  });

  test.each(['Host', 'content-length', 'Transfer-Encoding', 'Accept', 'Mcp-Session-Id', 'Proxy-Authorization'])(
    'a secret in the header %s, which HTTP or MCP sets itself, is refused',
    (name) => {
      const auth = { type: 'headers', headers: [{ name, from: 'operator' }] };
      expect(problemOf({ auth })).toMatchObject({ code: 'manifest_invalid', paths: ['auth.headers[0].name'] });
      expect(
        problemOf({ auth: { ...auth, headers: [{ name: 'Authorization', from: 'operator' }, auth.headers[0]] } }),
      ).toMatchObject({ paths: ['auth.headers[1].name'] });
    },
  );

  test.each(['/bin/sh', 'sh', 'memory; rm -rf /', '../memory', '', '__proto__', 'toString'])(
    'security row 30: the command %j is refused as command_not_allowed',
    (command) => {
      expect(problemOf({ connection: { type: 'stdio', command } })).toMatchObject({
        code: 'command_not_allowed',
        status: 400,
        paths: ['connection.command'],
      });
    },
  );

  test('may name only commands of the allow-list and services of this installation', () => {
    expect(
      parseManifest(JSON.stringify({ ...valid, connection: { type: 'stdio', command: 'memory' } }), policy).id,
    ).toBe('weather');
    expect(
      parseManifest(JSON.stringify({ ...valid, connection: { type: 'http', url: 'service:travel/pro/mcp' } }), policy)
        .id,
    ).toBe('weather');
    expect(problemOf({ connection: { type: 'http', url: 'service:bank' } }).code).toBe('url_not_allowed');
    expect(problemOf({ connection: { type: 'http', url: 'service:travel/../../x' } }).code).toBe('manifest_invalid');
  });

  test('with a sign-in per user cannot be shared, and a free one cannot have a trial', () => {
    expect(problemOf({ auth: { type: 'oauth' }, isolation: 'shared' }).paths).toEqual(['isolation']);
    expect(problemOf({ auth: { type: 'oauth' }, connection: { type: 'stdio', command: 'memory' } }).paths).toEqual([
      'auth.type',
    ]);
    expect(problemOf({ billing: { tier: 'T0', trialDays: 7 } }).paths).toEqual(['billing.trialDays']);
  });

  test('a snapshot that clients would refuse is refused, with the field', () => {
    const tool = (change: object) => ({ tools: [{ name: 'a', inputSchema: { type: 'object' }, ...change }] });
    const wrong: [object, string][] = [
      [tool({ annotations: { readOnlyHint: 'yes' } }), 'tools[0].annotations.readOnlyHint'],
      [tool({ description: 7 }), 'tools[0].description'],
      [tool({ icons: [{ src: { toString: 1 } }] }), 'tools[0].icons[0].src'],
      [tool({ inputSchema: { type: 'object', required: 'a' } }), 'tools[0].inputSchema.required'],
      [{ prompts: [{ name: 'a', arguments: {} }] }, 'prompts[0].arguments'],
    ];
    for (const [capabilitySnapshot, field] of wrong) {
      expect(problemOf({ capabilitySnapshot }).paths).toEqual([`capabilitySnapshot.${field}`]);
    }
  });

  test('security row 31b: a snapshot with a 513th tool is refused', () => {
    const tools = Array.from({ length: 513 }, (_, index) => ({ name: `t${index}`, inputSchema: { type: 'object' } }));
    expect(problemOf({ capabilitySnapshot: { tools } })).toMatchObject({
      code: 'manifest_invalid',
      paths: ['capabilitySnapshot.tools'],
    });
  });
});
