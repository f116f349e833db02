import type { ClientCapabilities } from '@modelcontextprotocol/client';
import type { QuestionKind } from '@souk/contract/manifest/manifest-basics.ts';

/** Kinds of questions that a server up to 2025-11-25 may ask a client, one bit per kind. */
export type QuestionKinds = number;

const form = 1;
const url = 2;
const sampling = 4;
const samplingTools = 8;
const samplingContext = 16;
const roots = 32;
const rootsChanges = 64;

export function kindsOf(capabilities: ClientCapabilities | undefined): QuestionKinds {
  if (!capabilities) return 0;
  const { elicitation, sampling: model, roots: folders } = capabilities;
  let kinds = 0;
  // before modes existed, `elicitation: {}` meant forms
  if (elicitation) kinds |= (elicitation.form || !elicitation.url ? form : 0) | (elicitation.url ? url : 0);
  if (model) kinds |= sampling | (model.tools ? samplingTools : 0) | (model.context ? samplingContext : 0);
  if (folders) kinds |= roots | (folders.listChanged === true ? rootsChanges : 0);
  return kinds;
}

const named: Readonly<Record<QuestionKind, QuestionKinds>> = { form, url, sampling, roots };

export function canAnswer(capabilities: ClientCapabilities | undefined, kind: QuestionKind): boolean {
  return (kindsOf(capabilities) & named[kind]) !== 0;
}

/** Returns the capabilities of a client that can answer only such questions. */
export function clientThatAnswers(kind: QuestionKind): ClientCapabilities {
  return capabilitiesFor(named[kind]) ?? {};
}

const cache = new Map<QuestionKinds, ClientCapabilities>();

/**
 * Returns the capabilities that the handshake declares for a client that can answer these kinds; undefined for none.
 */
export function capabilitiesFor(kinds: QuestionKinds): ClientCapabilities | undefined {
  if (kinds === 0) return undefined;
  let capabilities = cache.get(kinds);
  if (!capabilities) cache.set(kinds, (capabilities = buildCapabilities((kind) => (kinds & kind) !== 0)));
  return capabilities;
}

function buildCapabilities(has: (kind: QuestionKinds) => boolean): ClientCapabilities {
  return {
    ...((has(form) || has(url)) && { elicitation: { ...(has(form) && { form: {} }), ...(has(url) && { url: {} }) } }),
    ...(has(sampling) && {
      sampling: { ...(has(samplingTools) && { tools: {} }), ...(has(samplingContext) && { context: {} }) },
    }),
    ...(has(roots) && { roots: { ...(has(rootsChanges) && { listChanged: true }) } }),
  };
}
