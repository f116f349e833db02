/** Optional features other than tools, as announced by a server's capabilities. */
export const serverFeatures = ['prompts', 'resources', 'subscriptions', 'completions', 'logging'] as const;
export type ServerFeature = (typeof serverFeatures)[number];

/** Capabilities of an MCP server of either era: a member that is present is offered. */
type Capabilities = {
  prompts?: object | undefined;
  resources?: { subscribe?: boolean | undefined } | undefined;
  completions?: object | undefined;
  logging?: object | undefined;
};

export function featuresOf(capabilities: Capabilities): ServerFeature[] {
  return serverFeatures.filter((feature) =>
    feature === 'subscriptions' ? capabilities.resources?.subscribe === true : capabilities[feature] !== undefined,
  );
}
