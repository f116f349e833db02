import { createContext, type ComponentType, type ReactNode } from 'react';

export type CardOfferProps = {
  serverId: string;
  /** The price, and the button that buys. */
  children: ReactNode;
};

/** What stands where a card offers a service. The router puts what the person has already in its place. */
export const CardOffer = createContext<ComponentType<CardOfferProps>>(({ children }) => children);

/** What a card says of the person's switch for a service. Visitors have none. */
export const CardState = createContext<ComponentType<{ serverId: string }>>(() => null);
