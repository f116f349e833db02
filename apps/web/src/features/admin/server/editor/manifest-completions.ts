import {
  snippetCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { ensureSyntaxTree } from '@codemirror/language';
import type { SyntaxNode } from '@lezer/common';
import { fieldMeanings } from '@souk/contract/manifest/manifest-fields.ts';
import { manifestSchema } from '@souk/contract/manifest/manifest.ts';
import { z } from 'zod';
import { unquoted } from './json-fields.ts';

/** Limit for parsing. A manifest needs a few milliseconds, unless the machine is very busy. */
const parseMs = 5000;

/** Completes missing fields of the object at the cursor, and the values of fields that have few. */
export function manifestCompletions({ state, pos, explicit }: CompletionContext): CompletionResult | null {
  const textOf = ({ from, to }: SyntaxNode) => state.sliceDoc(from, to);
  const node = ensureSyntaxTree(state, state.doc.length, parseMs)?.resolveInner(pos, -1);
  if (!node) return null;
  const before = state
    .sliceDoc(Math.max(0, pos - 200), pos)
    .trimEnd()
    .at(-1);
  const property = enclosing(node, 'Property');
  const object = enclosing(node, 'Object');
  const isName = node.name === 'PropertyName';
  if (!isName && property && property.from > (object?.from ?? -1) && hasColon(property, textOf, pos)) {
    const isText = node.name === 'String';
    const fields = fieldsAt(property, textOf);
    const inList = enclosing(node, 'Array');
    const schemas = inList && inList.from > property.from ? fields.flatMap(elementsOf) : fields;
    const options = schemas.flatMap(valuesOf).map((label): Completion => ({ label, type: 'constant' }));
    const from = isText || literalNames.has(node.name) ? node.from : pos;
    return options.length === 0 ? null : { from, to: isText ? node.to : pos, options, filter: true };
  }
  if (!object || (!isName && before !== '{' && before !== ',' && before !== '"' && !explicit)) return null;
  const own = isName ? node : undefined;
  const present = new Set(
    object.getChildren('Property').flatMap((child) => {
      const name = child.getChild('PropertyName');
      return name && name.from !== own?.from ? [unquoted(textOf(name))] : [];
    }),
  );
  const path = pathOf(object, textOf);
  const hasValue = own !== undefined && /^\s*:/.test(state.sliceDoc(own.to, own.to + 20));
  const options = [...namesOf(schemasOf(object, textOf))]
    .filter(([name]) => !present.has(name))
    .map(([name, schema]) => nameCompletion(name, schema, [...path, name].join('.'), hasValue));
  return options.length === 0 ? null : { from: own?.from ?? pos, to: own?.to ?? pos, options, filter: true };
}

type TextOf = (node: SyntaxNode) => string;
const literalNames: ReadonlySet<string> = new Set(['True', 'False', 'Null', 'Number']);

function enclosing(node: SyntaxNode, name: string): SyntaxNode | undefined {
  for (let at: SyntaxNode | null = node; at; at = at.parent) if (at.name === name) return at;
  return undefined;
}

function hasColon(property: SyntaxNode, textOf: TextOf, pos: number): boolean {
  const name = property.getChild('PropertyName');
  return (
    name !== null &&
    textOf(property)
      .slice(name.to - property.from, pos - property.from)
      .includes(':')
  );
}

/** Returns the names from the root to an object, with [] for list items. */
function pathOf(node: SyntaxNode, textOf: TextOf): string[] {
  const path: string[] = [];
  for (let at = node.parent; at; at = at.parent) {
    const name = at.name === 'Property' ? at.getChild('PropertyName') : null;
    if (name) path.unshift(`${unquoted(textOf(name))}${inListOf(at, node) ? '[]' : ''}`);
  }
  return path;
}
const inListOf = (property: SyntaxNode, node: SyntaxNode) => {
  for (let at = node.parent; at && at.from >= property.from; at = at.parent) if (at.name === 'Array') return true;
  return false;
};

/** Returns the possible schemas of an object. Its other fields narrow a union; `except` is the one being completed. */
function schemasOf(object: SyntaxNode, textOf: TextOf, except?: SyntaxNode): z.ZodObject[] {
  const own = object.parent;
  const schemas =
    own === null || own.name === 'JsonText'
      ? [manifestSchema as z.core.$ZodType]
      : own.name === 'Array'
        ? listSchemas(own, textOf).flatMap(elementsOf)
        : fieldsAt(own, textOf);
  const options = schemas.flatMap(unwrapped).flatMap((schema) => {
    if (schema instanceof z.ZodDiscriminatedUnion) return schema.options.flatMap(unwrapped);
    return [schema];
  });
  const objects = options.filter((schema) => schema instanceof z.ZodObject);
  const fitting = objects.filter((schema) => fits(object, schema, textOf, except));
  return fitting.length > 0 ? fitting : objects;
}

const listSchemas = (list: SyntaxNode, textOf: TextOf): z.core.$ZodType[] =>
  list.parent?.name === 'Property' ? fieldsAt(list.parent, textOf) : [];

/** Returns the schemas of a property's value. */
function fieldsAt(property: SyntaxNode, textOf: TextOf): z.core.$ZodType[] {
  const name = property.getChild('PropertyName');
  const object = property.parent;
  if (!name || object?.name !== 'Object') return [];
  const key = unquoted(textOf(name));
  return schemasOf(object, textOf, property).flatMap(({ shape }) => shape[key] ?? []);
}

/** Whether an object has the literals of a schema, such as a connection's type. */
function fits(object: SyntaxNode, schema: z.ZodObject, textOf: TextOf, except?: SyntaxNode): boolean {
  return object.getChildren('Property').every((property) => {
    if (property.from === except?.from) return true;
    const name = property.getChild('PropertyName');
    const value = property.lastChild;
    const literal = name && unwrapped(schema.shape[unquoted(textOf(name))])[0];
    if (!(literal instanceof z.ZodLiteral) || value?.name !== 'String') return true;
    return [...literal.values].includes(unquoted(textOf(value)));
  });
}

function unwrapped(schema: z.core.$ZodType | undefined): z.core.$ZodType[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return unwrapped(schema.unwrap());
  }
  return schema ? [schema] : [];
}

const elementsOf = (schema: z.core.$ZodType): z.core.$ZodType[] =>
  unwrapped(schema).flatMap((plain) => (plain instanceof z.ZodArray ? unwrapped(plain.element) : []));

/** Returns the values of a schema that has few, as JSON. */
function valuesOf(schema: z.core.$ZodType): string[] {
  return unwrapped(schema).flatMap((plain) => {
    if (plain instanceof z.ZodBoolean) return ['true', 'false'];
    if (plain instanceof z.ZodEnum) return plain.options.map((value) => JSON.stringify(value));
    if (plain instanceof z.ZodLiteral) return [...plain.values].map((value) => JSON.stringify(value));
    return [];
  });
}

function namesOf(schemas: readonly z.ZodObject[]): Map<string, z.core.$ZodType> {
  return new Map(schemas.flatMap(({ shape }) => Object.entries(shape)));
}

function nameCompletion(name: string, schema: z.core.$ZodType, path: string, hasValue: boolean): Completion {
  const info = fieldMeanings[path];
  const shown = { label: `"${name}"`, displayLabel: name, type: 'property', ...(info !== undefined && { info }) };
  return hasValue ? shown : snippetCompletion(`"${name}": ${emptyValue(schema)}`, shown);
}

/** Returns the initial value of a new field; the cursor goes to `#{}`. */
function emptyValue(schema: z.core.$ZodType): string {
  const [plain] = unwrapped(schema);
  if (plain instanceof z.ZodString) return '"#{}"';
  if (plain instanceof z.ZodArray) return '[#{}]';
  const isObject =
    plain instanceof z.ZodObject || plain instanceof z.ZodRecord || plain instanceof z.ZodDiscriminatedUnion;
  return isObject ? String.raw`\{#{}\}` : '#{}';
}
