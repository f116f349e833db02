// Rules of the official schemas for what a shop serves, without their texts. Both allow other fields.

const identity = {
  name: { type: 'string', minLength: 3, maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
  title: { type: 'string', minLength: 1, maxLength: 100 },
  description: { type: 'string', minLength: 1, maxLength: 100 },
  version: { type: 'string', maxLength: 255 },
  websiteUrl: { type: 'string', format: 'uri' },
};

/** server.json of 2025-12-11: modelcontextprotocol/static at 12022ab, schemas/2025-12-11/server.schema.json. */
export const serverJsonRules = {
  type: 'object',
  required: ['name', 'description', 'version'],
  properties: {
    ...identity,
    $schema: { type: 'string', format: 'uri' },
    icons: {
      type: 'array',
      items: {
        type: 'object',
        required: ['src'],
        properties: {
          src: { type: 'string', format: 'uri', maxLength: 255 },
          mimeType: { enum: ['image/png', 'image/jpeg', 'image/jpg', 'image/svg+xml', 'image/webp'] },
        },
      },
    },
    remotes: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'url'],
        properties: { type: { enum: ['streamable-http', 'sse'] }, url: { type: 'string', format: 'uri-template' } },
      },
    },
  },
};

/** The server card: modelcontextprotocol/experimental-ext-server-card at 8924e08, schema.json. */
export const serverCardRules = {
  type: 'object',
  required: ['$schema', 'name', 'version', 'description'],
  properties: {
    ...identity,
    $schema: { const: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json' },
    remotes: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'url'],
        properties: {
          type: { enum: ['sse', 'streamable-http'] },
          url: { type: 'string', pattern: '^(https?://[^\\s]+|\\{[a-zA-Z_][a-zA-Z0-9_]*\\}[^\\s]*)$' },
          supportedProtocolVersions: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  },
};
