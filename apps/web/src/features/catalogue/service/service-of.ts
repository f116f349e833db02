import type { CapabilityAnswer, ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';

export type Service = {
  server: ServerAnswer;
  tools: CapabilityAnswer[];
  prompts: CapabilityAnswer[];
  resources: CapabilityAnswer[];
  resourceTemplates: readonly CapabilityAnswer[];
};

/** Groups what a server offers by kind. */
export function serviceOf({
  server,
  capabilities,
  resourceTemplates,
}: {
  server: ServerAnswer;
  capabilities: readonly CapabilityAnswer[];
  resourceTemplates: readonly CapabilityAnswer[];
}): Service {
  return {
    server,
    tools: capabilities.filter(({ type }) => type === 'tool'),
    prompts: capabilities.filter(({ type }) => type === 'prompt'),
    resources: capabilities.filter(({ type }) => type === 'resource'),
    resourceTemplates,
  };
}
