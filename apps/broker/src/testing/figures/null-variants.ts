import { z } from 'zod';

type Schema = z.core.$ZodType;
/** A value with one optional member that is null, and the same without that member. */
export type NullVariant = { path: string; withNull: unknown; without: unknown };
/** A value with one empty object that is written as an empty list, and the same with the object. */
export type ListVariant = { path: string; withList: unknown; withObject: unknown };

type Variant = { path: string; written: unknown; meant: unknown };
/** Returns how a member can be written and what it means, if this variant applies to its schema. */
type Odd = (member: Schema, key: string, others: object) => Omit<Variant, 'path'> | undefined;

/**
 * Returns values of a schema, one for each of its members that may be absent and not null, at every depth. A table of
 * them cannot forget a member: a later SDK with more members has more variants.
 */
export function nullVariants(schema: Schema): NullVariant[] {
  return variantsOf(schema, new Set(), nullForAbsent).map(({ path, written: withNull, meant: without }) => ({
    path,
    withNull,
    without,
  }));
}

/** Returns the same for each member that may be an empty object but not an empty list, as PHP writes it. */
export function listVariants(schema: Schema): ListVariant[] {
  return variantsOf(schema, new Set(), listForObject).map(({ path, written: withList, meant: withObject }) => ({
    path,
    withList,
    withObject,
  }));
}

const nullForAbsent: Odd = (member, key, others) =>
  takes(member, undefined) && !takes(member, null) ? { written: { ...others, [key]: null }, meant: others } : undefined;

const listForObject: Odd = (member, key, others) =>
  takes(member, {}) && !takes(member, [])
    ? { written: { ...others, [key]: [] }, meant: { ...others, [key]: {} } }
    : undefined;

/**
 * Returns the members of a flat document that may be absent, including those that the schema converts if they are null.
 */
export function optionalMembers(schema: Schema): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'union') return [...new Set(def.options.flatMap(optionalMembers))];
  if (def.type !== 'object') return [];
  return Object.keys(def.shape).filter((key) => takes(def.shape[key] ?? z.never(), undefined));
}

function variantsOf(schema: Schema, above: ReadonlySet<Schema>, odd: Odd): Variant[] {
  if (above.has(schema)) return [];
  const seen = new Set([...above, schema]);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'catch':
      return variantsOf(def.innerType, seen, odd);
    case 'pipe':
      return variantsOf(def.out, seen, odd);
    case 'lazy':
      return variantsOf(def.getter(), seen, odd);
    case 'intersection':
      return [...variantsOf(def.left, seen, odd), ...variantsOf(def.right, seen, odd)];
    case 'union':
      return def.options.flatMap((option) => variantsOf(option, seen, odd));
    case 'array':
      return variantsOf(def.element, seen, odd).map(({ path, written, meant }) => ({
        path: `[].${path}`,
        written: [written],
        meant: [meant],
      }));
    case 'record':
      return variantsOf(def.valueType, seen, odd).map((inner) => within({}, 'any', inner));
    case 'object': {
      const base = Object(sampleOf(schema));
      return Object.entries(def.shape).flatMap(([key, member]) => {
        const { [key]: _, ...others } = base;
        const own = odd(member, key, others);
        return [
          ...(own ? [{ path: key, ...own }] : []),
          ...variantsOf(member, seen, odd).map((inner) => within(base, key, inner)),
        ];
      });
    }
    default:
      return [];
  }
}

function within(base: object, key: string, { path, written, meant }: Variant): Variant {
  return { path: `${key}.${path}`, written: { ...base, [key]: written }, meant: { ...base, [key]: meant } };
}

const takes = (schema: Schema, value: unknown) => z.core.safeParse(schema, value).success;

const isAnything = (schema: Schema) => ['unknown', 'any'].includes(schema._zod.def.type);

/** Candidates for a string: a word, an address, a time, base64. */
const texts = ['a', 'https://example.com/a', '2026-01-01T00:00:00Z', 'YQ=='];

/** Returns a minimal value that a schema accepts. @throws if this function does not know how */
export function sampleOf(schema: Schema): unknown {
  if (takes(schema, undefined)) return undefined;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const sample = sampleOfDef(def);
  const found = [sample, ...texts].find((each) => takes(schema, each));
  if (found === undefined) throw new Error(`no sample of ${def.type}: ${JSON.stringify(sample)}`);
  return found;
}

function sampleOfDef(def: z.core.$ZodTypes['_zod']['def']): unknown {
  switch (def.type) {
    case 'object': {
      const members = Object.entries(def.shape).map(
        ([key, member]) => [key, isAnything(member) ? 'a' : sampleOf(member)] as const,
      );
      return Object.fromEntries(members.filter(([, value]) => value !== undefined));
    }
    case 'array':
      return [];
    case 'record':
      return {};
    case 'union':
      return sampleOf(def.options[0] ?? z.never());
    case 'intersection':
      return { ...Object(sampleOf(def.left)), ...Object(sampleOf(def.right)) };
    case 'literal':
      return def.values[0];
    case 'enum':
      return Object.values(def.entries)[0];
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'nullable':
      return sampleOf(def.innerType);
    case 'lazy':
      return sampleOf(def.getter());
    default:
      return 'a';
  }
}
