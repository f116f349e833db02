import { manifestIssues } from '@souk/contract/manifest/manifest-issues.ts';
import { completeManifest, manifestSchema } from '@souk/contract/manifest/manifest.ts';
import { maxManifestBytes, readFields, type JsonFields, type Problem, type TextRange } from './json-fields.ts';

const maxProblems = 100;

type Issue = { path: string; message: string };

export type AskedCheck = {
  text: string;
  /** The id that the manifest must have. */
  serverId: string;
  /** What the broker found wrong with a text: it stands at its fields until they are changed. */
  refused?: { text: string; issues: readonly Issue[] } | undefined;
};

export type CheckedText = {
  /** Sorted by their place, at most 100. */
  problems: Problem[];
  /** The version that the text names, where it can be read. */
  version: string | undefined;
  /** Where it stands. */
  versionAt?: TextRange | undefined;
  bytes: number;
};

/** What is wrong with the text of a manifest, each at the field that it is about, as the broker would say it. */
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
  // the broker says again what the schema has said
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

/** At the field, at its name where the field itself is not allowed; what is missing at the object that should have it. */
function placed({ path, message }: Issue, { values, names }: JsonFields): Problem {
  const text = path === '' ? message : `${path} ${message}`;
  const name = names.get(path);
  if (name && message.startsWith('is not a')) return { ...name, message: text };
  const value = values.get(path);
  // a long value is not underlined whole
  if (value) return { from: value.from, to: Math.min(value.to, value.from + maxMarked), message: text };
  const parent = parentOf(path, values);
  return { from: parent, to: parent + 1, message: text };
}
const maxMarked = 200;

/** Where the nearest object or list begins that holds the path. */
function parentOf(path: string, values: JsonFields['values']): number {
  for (let end = path.length; end > 0; end--) {
    if (path[end] !== '.' && path[end] !== '[') continue;
    const range = values.get(path.slice(0, end));
    if (range) return range.from;
  }
  return values.get('')?.from ?? 0;
}

/** Those whose field reads as it did when the broker refused it. */
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
