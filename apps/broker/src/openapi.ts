import { adminBillingEndpoints } from '@souk/contract/admin/billing.ts';
import { adminImportEndpoints } from '@souk/contract/admin/imports.ts';
import { adminManifestRunEndpoints } from '@souk/contract/admin/manifest-runs.ts';
import { adminManifestEndpoints } from '@souk/contract/admin/manifests.ts';
import { adminPersonEndpoints } from '@souk/contract/admin/person.ts';
import { adminAllowanceEndpoints } from '@souk/contract/admin/allowances.ts';
import { adminSecretEndpoints } from '@souk/contract/admin/secrets.ts';
import { adminOfferEndpoints } from '@souk/contract/admin/offers.ts';
import { adminServerEndpoints } from '@souk/contract/admin/servers.ts';
import { adminAuditEndpoints } from '@souk/contract/admin/audit.ts';
import { adminOverviewEndpoints } from '@souk/contract/admin/overview.ts';
import { adminSystemEndpoints } from '@souk/contract/admin/system.ts';
import { adminUserEndpoints } from '@souk/contract/admin/users.ts';
import { billingHistoryEndpoints } from '@souk/contract/billing/billing-history.ts';
import { getLegalText } from '@souk/contract/legal.ts';
import { billingEndpoints } from '@souk/contract/billing/billing.ts';
import { noticeEndpoints } from '@souk/contract/notices.ts';
import { priceRiseEndpoints } from '@souk/contract/billing/price-rises.ts';
import { paymentEndpoints } from '@souk/contract/billing/payments.ts';
import { catalogueSearchEndpoints } from '@souk/contract/catalogue/catalogue-search.ts';
import { catalogueEndpoints } from '@souk/contract/catalogue/catalogue.ts';
import { upstreamEndpoints } from '@souk/contract/upstreams.ts';
import { diagnosticsEndpoints } from '@souk/contract/diagnostics.ts';
import type { Access, Endpoint } from '@souk/contract/endpoint.ts';
import { errorBodySchema, errorCatalogue, type ErrorCode } from '@souk/contract/errors.ts';
import { gatewayEndpoints } from '@souk/contract/gateway.ts';
import { identityEndpoints } from '@souk/contract/identity.ts';
import { registryImportEndpoints } from '@souk/contract/catalogue/registries.ts';
import { registryEndpoints } from '@souk/contract/catalogue/registry.ts';
import { serverCardEndpoints } from '@souk/contract/catalogue/server-card.ts';
import { getRelatedServers } from '@souk/contract/catalogue/related-servers.ts';
import { serverRecordEndpoints } from '@souk/contract/catalogue/server-record.ts';
import { toolChangeEndpoints } from '@souk/contract/catalogue/tool-changes.ts';
import { toolRunEndpoints } from '@souk/contract/tool-runs.ts';
import { usageEndpoints } from '@souk/contract/usage.ts';
import { z, type ZodType } from 'zod';
import { exampleOf } from './api-docs/example-of.ts';
import { parameterText } from './api-docs/parameter-texts.ts';
import { partOf, partTitles } from './api-docs/parts-of-api.ts';

export const endpoints: readonly Endpoint[] = [
  ...catalogueEndpoints,
  ...catalogueSearchEndpoints,
  getRelatedServers,
  ...serverRecordEndpoints,
  ...registryEndpoints,
  ...serverCardEndpoints,
  ...toolChangeEndpoints,
  ...adminManifestEndpoints,
  ...adminManifestRunEndpoints,
  ...adminImportEndpoints,
  ...registryImportEndpoints,
  ...adminServerEndpoints,
  ...adminSecretEndpoints,
  ...adminAllowanceEndpoints,
  ...adminUserEndpoints,
  ...adminAuditEndpoints,
  ...adminOverviewEndpoints,
  ...adminSystemEndpoints,
  ...adminBillingEndpoints,
  ...adminOfferEndpoints,
  ...adminPersonEndpoints,
  ...identityEndpoints,
  ...diagnosticsEndpoints,
  ...upstreamEndpoints,
  ...billingEndpoints,
  getLegalText,
  ...noticeEndpoints,
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
  refresh: 'Web token; with a personal access token or none, only the stored state.',
  admin: 'Web token of an administrator.',
};

/**
 * Returns the contract as an OpenAPI 3.1 document, for callers that do not use our typed client.
 * @param publicUrl the shop's address; by default that of the demo of `npm start`
 */
export function openApiDocument(version: string, publicUrl = 'http://localhost:3000'): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:([A-Za-z]+)/g, '{$1}');
    (paths[path] ??= {})[endpoint.method.toLowerCase()] = operation(endpoint, path);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Souk', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: publicUrl }],
    tags: partTitles.map((name) => ({ name })),
    paths,
    components: {
      schemas: { Error: json(errorBodySchema, 'output') },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function operation(endpoint: Endpoint, path: string): object {
  const { weight = 1 } = endpoint;
  return {
    operationId: endpoint.id,
    tags: [partOf(path)],
    summary: endpoint.summary,
    description: [accessTexts[endpoint.access], ...(weight > 1 ? [`Counts as ${weight} requests.`] : [])].join(' '),
    ...(endpoint.access !== 'public' && { security: [{ bearer: [] }] }),
    parameters: [
      ...parameters(path, 'path', endpoint.params),
      ...parameters(path, 'query', endpoint.query),
      ...(endpoint.ifMatch ? [ifMatchParameter] : []),
    ],
    ...(endpoint.body && { requestBody: { required: true, content: withExample(json(endpoint.body, 'input')) } }),
    responses: {
      200: { description: 'Done', content: content(json(endpoint.answer, 'output'), endpoint.mediaType) },
      ...(endpoint.revalidated && { 304: { description: 'The answer that If-None-Match names is current' } }),
      ...failures([...new Set([...(endpoint.errors ?? []), 'rate_limited' as const])]),
    },
  };
}

/** RFC 9110, section 13.1.1. */
const ifMatchParameter = {
  name: 'If-Match',
  in: 'header',
  description: parameterText('', 'If-Match'),
  required: false,
  schema: { type: 'string' },
};

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

function parameters(path: string, where: 'path' | 'query', schema: ZodType | undefined): object[] {
  if (!schema) return [];
  const described = z.object({
    properties: z.record(z.string(), z.unknown()),
    required: z.array(z.string()).default([]),
  });
  const { properties, required } = described.parse(json(schema, 'input'));
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    description: parameterText(path, name),
    required: where === 'path' || required.includes(name),
    schema: property,
  }));
}

/** Limits of accepted times beyond their format (contract/times.ts). */
const acceptedTimes = 'Years 1 to 9999, with a time zone offset of at most 14 hours';

const content = (schema: object, mediaType = 'application/json') => ({ [mediaType]: { schema } });

function withExample(schema: object): object {
  return { 'application/json': { schema, example: exampleOf(schema) } };
}

function json(schema: ZodType, io: 'input' | 'output'): object {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ jsonSchema }) {
      if (io === 'input' && jsonSchema.format === 'date-time') jsonSchema.description ??= acceptedTimes;
    },
  });
  return rest;
}
