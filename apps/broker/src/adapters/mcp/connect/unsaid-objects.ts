import { isRecord } from '#platform/json.ts';

/**
 * A tool as it is listed, where its schemas do not say what can only be: that its arguments are an object, and up to 2025-11-25
 * its structured content. Clients drop such a tool, or the whole list that it stands in.
 */
export function withUnsaidObjects(tool: unknown, isLegacy: boolean): unknown {
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
