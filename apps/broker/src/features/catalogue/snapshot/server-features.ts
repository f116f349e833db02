/** What a server may offer besides tools, as its capabilities announce it. */
export const serverFeatures = ['prompts', 'resources', 'subscriptions', 'completions', 'logging'] as const;
export type ServerFeature = (typeof serverFeatures)[number];

/** The capabilities of an MCP server of either era: a member that is present is offered. */
type Capabilities = {
  prompts?: object | undefined;
  resources?: { subscribe?: boolean | undefined } | undefined;
  completions?: object | undefined;
  logging?: object | undefined;
};

/** The features that a server's capabilities announce. */
export function featuresOf(capabilities: Capabilities): ServerFeature[] {
  return serverFeatures.filter((feature) =>
    feature === 'subscriptions' ? capabilities.resources?.subscribe === true : capabilities[feature] !== undefined,
  );
}
