/** What a server may have besides tools, as far as a client is told of it before it asks. */
export const serverFeatures = ['prompts', 'resources', 'subscriptions', 'completions', 'logging'] as const;
export type ServerFeature = (typeof serverFeatures)[number];

/** The capabilities of an MCP server, both eras alike: a member that is there is offered. */
type Capabilities = {
  prompts?: object | undefined;
  resources?: { subscribe?: boolean | undefined } | undefined;
  completions?: object | undefined;
  logging?: object | undefined;
};

/** What a server says of itself when it is asked. */
export function featuresOf(capabilities: Capabilities): ServerFeature[] {
  return serverFeatures.filter((feature) =>
    feature === 'subscriptions' ? capabilities.resources?.subscribe === true : capabilities[feature] !== undefined,
  );
}
