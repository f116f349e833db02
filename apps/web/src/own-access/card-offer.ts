import { createContext, type ComponentType, type ReactNode } from 'react';

export type CardOfferProps = {
  serverId: string;
  /** The price and the button that buys. */
  children: ReactNode;
};

/** Draws a card's offer. The router replaces it with what the user has already. */
export const CardOffer = createContext<ComponentType<CardOfferProps>>(({ children }) => children);

/** Draws whether the user's switch for a service is on. Empty for visitors. */
export const CardState = createContext<ComponentType<{ serverId: string }>>(() => null);
