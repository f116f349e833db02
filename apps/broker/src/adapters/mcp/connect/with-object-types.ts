import { isRecord } from '#platform/json.ts';

/**
 * Adds a missing `type: object` to a tool's inputSchema. Up to 2025-11-25, also removes an outputSchema without a type. Clients
 * would otherwise drop the tool, or its whole list.
 */
export function withObjectTypes(tool: unknown, isLegacy: boolean): unknown {
  if (!isRecord(tool)) return tool;
  const { outputSchema, ...rest } = tool;
  const inputSchema = asObjectSchema(tool['inputSchema']);
  const promisesNothing = isLegacy && isRecord(outputSchema) && outputSchema['type'] === undefined;
  if (inputSchema === tool['inputSchema'] && !promisesNothing) return tool;
  return { ...rest, inputSchema, ...(!promisesNothing && outputSchema !== undefined && { outputSchema }) };
}

function asObjectSchema(schema: unknown): unknown {
  if (schema === undefined || schema === null || schema === true) return { type: 'object' };
  if (!isRecord(schema)) return schema;
  const { type } = schema;
  if (type !== undefined && !(Array.isArray(type) && type.includes('object'))) return schema;
  return { ...schema, type: 'object' };
}
