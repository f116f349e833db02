import { partOf, type JsonObject } from '../part-of.ts';

/** A difference between two definitions of a tool. `before` and `after` are texts to show, if any. */
export type DefinitionChange = { what: string; before?: string | undefined; after?: string | undefined };

const hints: Readonly<Record<string, string>> = {
  readOnlyHint: 'Says that it only reads',
  destructiveHint: 'Says that it can delete or overwrite',
  idempotentHint: 'Says that repeating a call changes nothing more',
  openWorldHint: 'Says that it reaches the outside world',
};
const maxArguments = 50;

/** Describes how a tool's definition differs from the trusted one. A new tool is described as a whole. */
export function definitionChanges(before: JsonObject | null, after: JsonObject): DefinitionChange[] {
  const old = before ?? {};
  const inputs = { before: partOf(old, 'inputSchema'), after: partOf(after, 'inputSchema') };
  return [
    ...changedText('Title', old['title'], after['title']),
    ...changedText('Description', old['description'], after['description']),
    ...argumentChanges(inputs.before, inputs.after),
    ...(before && differs(rest(inputs.before), rest(inputs.after))
      ? [{ what: 'Other rules for its arguments changed' }]
      : []),
    ...(differs(old['outputSchema'], after['outputSchema']) ? [{ what: outputText(old, after) }] : []),
    ...annotationChanges(partOf(old, 'annotations'), partOf(after, 'annotations')),
    ...(before && differs(others(before), others(after)) ? [{ what: 'Other parts of its definition changed' }] : []),
  ];
}

function changedText(what: string, before: unknown, after: unknown): DefinitionChange[] {
  return differs(before, after) ? [{ what, before: shown(before), after: shown(after) }] : [];
}

function argumentChanges(before: JsonObject, after: JsonObject): DefinitionChange[] {
  const old = partOf(before, 'properties');
  const now = partOf(after, 'properties');
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  const changes = names.flatMap((name): DefinitionChange[] => {
    const required = { before: isRequired(before, name), after: isRequired(after, name) };
    if (!Object.hasOwn(old, name)) {
      return [{ what: `New ${required.after ? 'required' : 'optional'} argument ${name}`, after: shown(now[name]) }];
    }
    if (!Object.hasOwn(now, name)) return [{ what: `Argument ${name} is removed`, before: shown(old[name]) }];
    return [
      ...(required.before === required.after
        ? []
        : [{ what: `Argument ${name} is ${required.after ? 'required' : 'optional'} now` }]),
      ...(differs(old[name], now[name])
        ? [{ what: `Argument ${name}`, before: shown(old[name]), after: shown(now[name]) }]
        : []),
    ];
  });
  const more = changes.length - maxArguments;
  return more > 0 ? [...changes.slice(0, maxArguments), { what: `${more} more arguments changed` }] : changes;
}

function annotationChanges(before: JsonObject, after: JsonObject): DefinitionChange[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => differs(before[name], after[name]))
    .map((name) => ({
      what: hints[name] ?? `Annotation ${name}`,
      before: shown(before[name]),
      after: shown(after[name]),
    }));
}

function outputText(before: JsonObject, after: JsonObject): string {
  if (after['outputSchema'] === undefined) return 'It no longer describes its results';
  return before['outputSchema'] === undefined ? 'It describes its results' : 'The description of its results changed';
}

const isRequired = ({ required }: JsonObject, name: string) => Array.isArray(required) && required.includes(name);

function rest({ properties: _properties, required: _required, ...other }: JsonObject): JsonObject {
  return other;
}

function others(definition: JsonObject): JsonObject {
  const known = new Set(['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations']);
  return Object.fromEntries(Object.entries(definition).filter(([name]) => !known.has(name)));
}

const differs = (a: unknown, b: unknown) => JSON.stringify(a) !== JSON.stringify(b);

function shown(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
