import { adminBillingEndpoints } from '@souk/contract/admin-billing.ts';
import { adminManifestRunEndpoints } from '@souk/contract/admin-manifest-runs.ts';
import { adminManifestEndpoints } from '@souk/contract/admin-manifests.ts';
import { adminServerEndpoints } from '@souk/contract/admin-servers.ts';
import { adminUserEndpoints } from '@souk/contract/admin-users.ts';
import { billingHistoryEndpoints } from '@souk/contract/billing-history.ts';
import { billingEndpoints } from '@souk/contract/billing.ts';
import { priceRiseEndpoints } from '@souk/contract/price-rises.ts';
import { paymentEndpoints } from '@souk/contract/payments.ts';
import { catalogueSearchEndpoints } from '@souk/contract/catalogue-search.ts';
import { catalogueEndpoints } from '@souk/contract/catalogue.ts';
import { upstreamEndpoints } from '@souk/contract/upstreams.ts';
import { diagnosticsEndpoints } from '@souk/contract/diagnostics.ts';
import type { Access, Endpoint } from '@souk/contract/endpoint.ts';
import { errorBodySchema, errorCatalogue, type ErrorCode } from '@souk/contract/errors.ts';
import { gatewayEndpoints } from '@souk/contract/gateway.ts';
import { identityEndpoints } from '@souk/contract/identity.ts';
import { serverRecordEndpoints } from '@souk/contract/server-record.ts';
import { toolChangeEndpoints } from '@souk/contract/tool-changes.ts';
import { toolRunEndpoints } from '@souk/contract/tool-runs.ts';
import { usageEndpoints } from '@souk/contract/usage.ts';
import { z, type ZodType } from 'zod';

/** Every endpoint of the contract. */
export const endpoints: readonly Endpoint[] = [
  ...catalogueEndpoints,
  ...catalogueSearchEndpoints,
  ...serverRecordEndpoints,
  ...toolChangeEndpoints,
  ...adminManifestEndpoints,
  ...adminManifestRunEndpoints,
  ...adminServerEndpoints,
  ...adminUserEndpoints,
  ...adminBillingEndpoints,
  ...identityEndpoints,
  ...diagnosticsEndpoints,
  ...upstreamEndpoints,
  ...billingEndpoints,
  ...priceRiseEndpoints,
  ...paymentEndpoints,
  ...billingHistoryEndpoints,
  ...usageEndpoints,
  ...gatewayEndpoints,
  ...toolRunEndpoints,
];

const accessTexts: Record<Access, string> = {
  public: 'Anyone.',
  user: 'Web token; a personal access token may only read.',
  account: 'Web token only.',
  refresh: 'Web token; a personal access token or none only re-reads.',
  admin: 'Web token of an administrator.',
};

/** The contract as an OpenAPI 3.1 document, for those who do not use our typed client. */
export function openApiDocument(version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:([A-Za-z]+)/g, '{$1}');
    (paths[path] ??= {})[endpoint.method.toLowerCase()] = operation(endpoint);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Souk', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    paths,
    components: {
      schemas: { Error: json(errorBodySchema, 'output') },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function operation(endpoint: Endpoint): object {
  return {
    operationId: endpoint.id,
    summary: endpoint.summary,
    description: accessTexts[endpoint.access],
    ...(endpoint.access !== 'public' && { security: [{ bearer: [] }] }),
    parameters: [
      ...parameters('path', endpoint.params),
      ...parameters('query', endpoint.query),
      ...(endpoint.ifMatch ? [ifMatchParameter] : []),
    ],
    ...(endpoint.body && { requestBody: { required: true, content: content(json(endpoint.body, 'input')) } }),
    responses: {
      200: { description: 'Done', content: content(json(endpoint.answer, 'output'), endpoint.mediaType) },
      ...(endpoint.revalidated && { 304: { description: 'The answer that If-None-Match names is current' } }),
      ...failures(endpoint.errors ?? []),
    },
  };
}

/** RFC 9110, section 13.1.1. */
const ifMatchParameter = { name: 'If-Match', in: 'header', required: false, schema: { type: 'string' } };

function failures(codes: readonly ErrorCode[]): Record<number, object> {
  const byStatus = Map.groupBy(codes, (code) => errorCatalogue[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `${code}: ${errorCatalogue[code].message ?? 'see message'}`).join('; '),
        content: content({ $ref: '#/components/schemas/Error' }),
      },
    ]),
  );
}

function parameters(where: 'path' | 'query', schema: ZodType | undefined): object[] {
  if (!schema) return [];
  const described = z.object({
    properties: z.record(z.string(), z.unknown()),
    required: z.array(z.string()).default([]),
  });
  const { properties, required } = described.parse(json(schema, 'input'));
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    schema: property,
  }));
}

const content = (schema: object, mediaType = 'application/json') => ({ [mediaType]: { schema } });

function json(schema: ZodType, io: 'input' | 'output'): object {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}
