import type { GatewayParts } from '../gateway-parts.ts';
import { findHiddenResource, findResource, type FoundResource } from '../view/find-resource.ts';
import type { Now } from '../view/personal-view.ts';
import type { RequestContext } from '../view/request-context.ts';
import { visibleTo, type Found, type Hidden, type Visible } from '../view/visible.ts';
import type { FoundTarget, Target } from './call.ts';

type Parts = Pick<GatewayParts, 'catalogue' | 'view'>;

export function resolveTool(context: RequestContext, name: string, parts: Parts): Now<Target> {
  return resolve(context, parts, (visible) => {
    const found = visible.tool(name);
    return found ? toolTarget(found) : notFound(name, visible.hidden('tool', name));
  });
}

export function toolTarget({ server, item }: Found): FoundTarget {
  return { kind: 'found', server, name: item.name, tool: item };
}

export function resolvePrompt(context: RequestContext, name: string, parts: Parts): Now<Target> {
  return resolve(context, parts, (visible) => {
    const found = visible.prompt(name);
    if (!found) return notFound(name, visible.hidden('prompt', name));
    return { kind: 'found', server: found.server, name: found.item.name };
  });
}

/** Finds the resource with this URI, and the function that rewrites URIs in its server's answer for this link. */
export function resolveResource(
  context: RequestContext,
  address: string,
  parts: Parts,
): Now<Exclude<Target, FoundTarget> | (FoundTarget & Pick<FoundResource, 'expose'>)> {
  return resolve(context, parts, (visible) => {
    const found = findResource(context, visible, address);
    if (!found) return notFound(address, findHiddenResource(context, visible, address));
    return { kind: 'found', server: found.server, name: found.uri, expose: found.expose };
  });
}

function resolve<T>(context: RequestContext, { catalogue, view }: Parts, find: (visible: Visible) => T): Now<T> {
  const visible = visibleTo(context, catalogue.snapshot(), view);
  return visible instanceof Promise ? visible.then(find) : find(visible);
}

/**
 * Returns a hidden target for a server that is switched off or not included: it may be named, because the marketplace shows
 * every deployed server. All other names are unknown, with the same text for every reason.
 */
function notFound(name: string, hidden: Hidden | undefined): Exclude<Target, FoundTarget> {
  return hidden ? { kind: 'hidden', ...hidden } : { kind: 'unknown', name };
}
