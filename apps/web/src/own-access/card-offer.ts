import { createContext, type ComponentType, type ReactNode } from 'react';

export type CardOfferProps = {
  serverId: string;
  /** The price and the button that buys. */
  children: ReactNode;
};

/** Renders a card's offer. The router provides a component that shows what the user already has instead. */
export const CardOffer = createContext<ComponentType<CardOfferProps>>(({ children }) => children);

/** Renders whether the user's switch for a service is on. Empty for visitors. */
export const CardState = createContext<ComponentType<{ serverId: string }>>(() => null);
