import { lazy, type ComponentType } from 'react';

/** A component whose module is fetched when it is first rendered. */
export const lazyPart = <Name extends string, Props>(
  load: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
) => lazy(async () => ({ default: (await load())[name] }));
