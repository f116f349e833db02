import { z } from 'zod';
import { isMarked, nearestTo } from './exact-numbers.ts';

type Schema = z.core.$ZodType;
/** A schema without its wrappers. */
type Inner = z.core.$ZodTypes;

/**
 * Repairs absent members: many servers and clients write null for them, and PHP writes an empty object as an empty list.
 * Removes null members that the schema allows to be absent but not null, and replaces an empty list with an object if the
 * schema accepts only that. A described number that is marked (exact-numbers.ts) becomes the nearest double. Everything that
 * the schema does not describe stays. One pass, linear in the value; returns the value itself if nothing changes.
 * @param schemas one of them describes the value: a member may be removed if it is optional in any and nullable in none
 * @param hints members of these names are also removed if no schema accepts their values, since they do not matter
 */
export function withoutAbsent(
  value: unknown,
  schemas: readonly Schema[],
  hints: ReadonlySet<string> = new Set(),
): unknown {
  return walk(value, schemas.flatMap(innerOf), hints);
}

function walk(value: unknown, inner: readonly Inner[], hints: ReadonlySet<string>): unknown {
  if (typeof value === 'string') return isMarked(value) && isDescribed(inner) ? nearestTo(value) : value;
  if (typeof value !== 'object' || value === null || inner.length === 0) return value;
  return Array.isArray(value) ? walkList(value, inner, hints) : walkMembers(value, inner, hints);
}

function walkList(list: readonly unknown[], inner: readonly Inner[], hints: ReadonlySet<string>): unknown {
  const ofItems = inner.flatMap(({ _zod: { def } }) => (def.type === 'array' ? innerOf(def.element) : []));
  if (ofItems.length === 0) return list;
  let walked: unknown[] | undefined;
  for (const [at, item] of list.entries()) {
    const other = walk(item, ofItems, hints);
    if (other !== item) (walked ??= [...list])[at] = other;
  }
  return walked ?? list;
}

function walkMembers(value: object, inner: readonly Inner[], hints: ReadonlySet<string>): unknown {
  const fitting = inner.filter((each) => mayDescribe(each, value));
  if (fitting.length === 0) return value;
  let hasChanged = false;
  const kept: [string, unknown][] = [];
  for (const [key, member] of Object.entries(value)) {
    const known = membersOf(fitting, key);
    const inside = known.flatMap(({ schema }) => innerOf(schema));
    const walked = isEmptyList(member) && areObjects(known) ? {} : walk(member, inside, hints);
    hasChanged ||= walked !== member;
    const isLeftOut = (isAbsent(walked) && areAbsent(known)) || (hints.has(key) && isRefused(known, walked));
    if (isLeftOut) hasChanged = true;
    else kept.push([key, walked]);
  }
  return hasChanged ? Object.fromEntries(kept) : value;
}

/** Whether a value stands for an absent one: null, or a number beyond all doubles. */
const isAbsent = (value: unknown) => value === null || value === Infinity || value === -Infinity;

/** Whether a schema's literals (a method, a type) fit a value, which tells messages and blocks of content apart. */
function mayDescribe({ _zod: { def } }: Inner, value: object): boolean {
  if (def.type !== 'object') return def.type === 'record';
  return literalsOf(def.shape).every(([key, literals]) => {
    const given: unknown = Object.getOwnPropertyDescriptor(value, key)?.value;
    return given === undefined || given === null || literals.some((literal) => literal === given);
  });
}

const literalsOf = memoized((shape: z.core.$ZodShape) =>
  Object.entries(shape).flatMap(([key, member]): [string, readonly unknown[]][] => {
    const [only, ...others] = innerOf(member);
    return only?._zod.def.type === 'literal' && others.length === 0 ? [[key, only._zod.def.values]] : [];
  }),
);

function memoized<Key extends WeakKey, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const results = new WeakMap<Key, { value: Value }>();
  return (key) => {
    let result = results.get(key);
    if (!result) results.set(key, (result = { value: compute(key) }));
    return result.value;
  };
}

/** Finds the schemas of a member. Those that name it take precedence over those for all members. */
function membersOf(fitting: readonly Inner[], key: string): Member[] {
  const named = fitting.filter(({ _zod: { def } }) => def.type === 'object').flatMap((each) => memberOf(each, key));
  return named.length > 0 ? named : fitting.flatMap((each) => memberOf(each, key));
}

type Member = { schema: Schema; mayBeAbsent: boolean };

function memberOf({ _zod: { def } }: Inner, key: string): Member[] {
  // a record, such as the arguments of a prompt, requires no member
  if (def.type === 'record') return [{ schema: def.valueType, mayBeAbsent: true }];
  if (def.type !== 'object' || !Object.hasOwn(def.shape, key)) return [];
  const schema = def.shape[key];
  return schema ? [{ schema, mayBeAbsent: accepts(schema, 'absent') }] : [];
}

function areAbsent(members: readonly Member[]): boolean {
  return members.some(({ mayBeAbsent }) => mayBeAbsent) && !members.some(({ schema }) => accepts(schema, 'null'));
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** Whether an empty list stands for an empty object. */
function areObjects(members: readonly Member[]): boolean {
  return (
    members.some(({ schema }) => accepts(schema, 'object')) && !members.some(({ schema }) => accepts(schema, 'list'))
  );
}

const isRefused = (members: readonly Member[], value: unknown) =>
  members.length > 0 && !members.some(({ schema }) => z.core.safeParse(schema, value).success);

const emptyValues = { absent: undefined, null: null, object: {}, list: [] };

const emptyAccepted = memoized((_schema: Schema): Partial<Record<keyof typeof emptyValues, boolean>> => ({}));

function accepts(schema: Schema, kind: keyof typeof emptyValues): boolean {
  return (emptyAccepted(schema)[kind] ??= z.core.safeParse(schema, emptyValues[kind]).success);
}

/** Whether the schemas describe a value, rather than accept anything. */
function isDescribed(inner: readonly Inner[]): boolean {
  return inner.length > 0 && !inner.some(({ _zod: { def } }) => def.type === 'unknown' || def.type === 'any');
}

/** The schemas inside the wrapping: options, defaults, unions. A schema may contain itself. */
const innerOf = memoized((schema: Schema): readonly Inner[] => {
  const gathered = new Set<Inner>();
  gather(schema, gathered, new Set());
  return [...gathered];
});

function gather(schema: Schema, into: Set<Inner>, seen: Set<Schema>): void {
  if (seen.has(schema)) return;
  seen.add(schema);
  // the cast is to zod's own union of all its types, whose definitions tell them apart
  const { def } = (schema as Inner)._zod;
  const each = (...inner: readonly Schema[]) => {
    for (const one of inner) gather(one, into, seen);
  };
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'catch':
    case 'readonly':
    case 'nonoptional':
      return each(def.innerType);
    case 'union':
      return each(...def.options);
    case 'intersection':
      return each(def.left, def.right);
    case 'pipe':
      return each(def.in, def.out);
    case 'lazy':
      return each(def.getter());
    case 'transform':
      return;
  }
  into.add(schema as Inner);
}
