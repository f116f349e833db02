import { asRecord } from '#platform/json.ts';

/** Example values that a format requires or that say more than "text", by field name. */
const byField: Readonly<Record<string, unknown>> = {
  alias: 'weather',
  confirm: 'bea@souk.test',
  currency: 'USD',
  email: 'bea@souk.test',
  entry: '10.0.0.5:8080',
  id: 'weather',
  issuer: 'https://id.example.com',
  mcpId: 'travel-pro',
  name: 'Example',
  offerId: 'pro',
  package: 'mcp-weather@1.0.0',
  place: 'https://mcp.example.com/mcp',
  planId: 'pro',
  reason: 'Requested by the user',
  serverId: 'travel',
  serviceType: 'mcp',
  tokenEndpoint: 'https://id.example.com/token',
  tool: 'find_airports',
  url: 'https://mcp.example.com/mcp',
};
const byFormat: Readonly<Record<string, string>> = {
  date: '2026-11-01',
  'date-time': '2026-11-01T12:00:00Z',
  uuid: '01a21b39-2b63-75ad-8e79-4f42248c399c',
  uri: 'https://mcp.example.com/mcp',
  email: 'bea@souk.test',
};

/**
 * Returns a short valid value of a JSON Schema: its first example, or its required fields, first alternatives and smallest
 * numbers. Only for schemas of the contract, whose depth is known.
 */
export function exampleOf(schema: unknown, field = ''): unknown {
  const given = asRecord(schema) ?? {};
  if ('const' in given) return given['const'];
  if ('default' in given) return given['default'];
  const { examples, enum: values, oneOf, anyOf, type } = given;
  if (Array.isArray(examples)) return examples[0];
  if (Array.isArray(values)) return values[0];
  const alternatives = Array.isArray(oneOf) ? oneOf : anyOf;
  if (Array.isArray(alternatives)) return exampleOf(alternatives[0], field);
  if (type === 'object') return exampleObject(given);
  if (type === 'array') return Number(given['minItems'] ?? 0) > 0 ? [exampleOf(given['items'], field)] : [];
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return Math.max(1, Number(given['minimum'] ?? 1));
  if (type === 'null') return null;
  return byField[field] ?? byFormat[String(given['format'])] ?? 'text';
}

function exampleObject({ properties, required }: Record<string, unknown>): Record<string, unknown> {
  const names = new Set(Array.isArray(required) ? required.map(String) : []);
  const fields = Object.entries(asRecord(properties) ?? {}).filter(([name]) => names.has(name));
  return Object.fromEntries(fields.map(([name, schema]) => [name, exampleOf(schema, name)]));
}
