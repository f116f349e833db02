import { manifestIssues } from '@souk/contract/manifest/manifest-issues.ts';
import { completeManifest, manifestSchema } from '@souk/contract/manifest/manifest.ts';
import { maxManifestBytes, readFields, type JsonFields, type Problem, type TextRange } from './json-fields.ts';

const maxProblems = 100;

type Issue = { path: string; message: string };

export type AskedCheck = {
  text: string;
  /** The id that the manifest must have. */
  serverId: string;
  /** The broker's refusals of a text. Each one stays at its field until the field is changed. */
  refused?: { text: string; issues: readonly Issue[] } | undefined;
};

export type CheckedText = {
  /** Sorted by position, at most 100. */
  problems: Problem[];
  /** The version in the text, if it can be read. */
  version: string | undefined;
  versionAt?: TextRange | undefined;
  bytes: number;
};

/** Returns the problems of a manifest's text at their fields, in the broker's words. */
export function checkText({ text, serverId, refused }: AskedCheck): CheckedText {
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > maxManifestBytes)
    return { problems: [{ from: 0, to: 0, message: 'is larger than 256 KiB' }], version: undefined, bytes };
  const outside = problemOfFile(text);
  if (outside) return { problems: [outside], version: undefined, bytes };
  const fields = readFields(text);
  const value = fields.syntaxProblems.length === 0 ? parsed(text) : undefined;
  const problems = [
    ...fields.syntaxProblems,
    ...fields.nameProblems,
    ...(value === undefined ? [] : issuesOf(value.json, serverId).map((issue) => placed(issue, fields))),
    ...standingRefusals(refused, text, fields),
  ];
  // the broker's refusals repeat those of the schema
  const known = new Map(problems.map((problem) => [`${problem.from} ${problem.message}`, problem]));
  return {
    problems: [...known.values()].sort((a, b) => a.from - b.from).slice(0, maxProblems),
    version: value && versionOf(value.json),
    versionAt: value && fields.values.get('version'),
    bytes,
  };
}

function problemOfFile(text: string): Problem | undefined {
  if (text.startsWith('\uFEFF')) return { from: 0, to: 1, message: 'begins with a byte order mark: remove it' };
  const at = Math.max(text.indexOf('\0'), text.indexOf(String.raw`\u0000`));
  return at === -1 ? undefined : { from: at, to: at + 1, message: 'contains a NUL character' };
}

function parsed(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function issuesOf(json: unknown, serverId: string): Issue[] {
  const result = manifestSchema.safeParse(completeManifest(json));
  const issues = result.success ? [] : manifestIssues(result.error, json);
  const id = fieldOf(json, 'id');
  if (typeof id === 'string' && id !== serverId)
    issues.push({ path: 'id', message: `must be ${serverId}, as in the address` });
  return issues;
}

const versionOf = (json: unknown) => {
  const version = fieldOf(json, 'version');
  return typeof version === 'string' ? version : undefined;
};

function fieldOf(json: unknown, name: string): unknown {
  return typeof json === 'object' && json !== null ? Reflect.get(json, name) : undefined;
}

/** Places an issue at its field, at the name of an unknown field, or at the object that lacks it. */
function placed({ path, message }: Issue, { values, names }: JsonFields): Problem {
  const text = path === '' ? message : `${path} ${message}`;
  const name = names.get(path);
  if (name && message.startsWith('is not a')) return { ...name, message: text };
  const value = values.get(path);
  // a long value is underlined only at its start
  if (value) return { from: value.from, to: Math.min(value.to, value.from + maxUnderlined), message: text };
  const parent = parentOf(path, values);
  return { from: parent, to: parent + 1, message: text };
}
const maxUnderlined = 200;

/** Returns the start of the nearest object or list that contains the path. */
function parentOf(path: string, values: JsonFields['values']): number {
  for (let end = path.length; end > 0; end--) {
    if (path[end] !== '.' && path[end] !== '[') continue;
    const range = values.get(path.slice(0, end));
    if (range) return range.from;
  }
  return values.get('')?.from ?? 0;
}

/** Returns the refusals whose fields haven't changed since. */
function standingRefusals(refused: AskedCheck['refused'], text: string, fields: JsonFields): Problem[] {
  if (!refused) return [];
  const before = refused.text === text ? fields : readFields(refused.text);
  const wordsOf = (of: JsonFields, source: string, path: string) => {
    const range = of.values.get(path);
    return range && source.slice(range.from, range.to);
  };
  return refused.issues
    .filter(({ path }) => wordsOf(before, refused.text, path) === wordsOf(fields, text, path))
    .map((issue) => placed(issue, fields));
}
