/** Why the guard lets an address pass: it is public, an entry of a list names it, or a proxy decides. */
export type AddressRule = 'public' | 'proxy' | { entry: string; by: 'operator' | 'administrator' };

export type TlsFacts = {
  /** Such as TLSv1.3. */
  protocol: string;
  /** Who signed the server's certificate; undefined where it does not say. */
  issuer: string | undefined;
  validUntil: string | undefined;
};

/**
 * Is told how a connection to an address from outside comes about, in this order and as far as it gets. A second connection
 * tells the same again.
 */
export type ConnectionWatch = {
  /** What the host stands for here. Empty: this machine does not know the name, and a proxy may. */
  resolved?(addresses: readonly string[]): void;
  allowed?(rule: AddressRule): void;
  /** TCP is open: to this address, or to a proxy's. A watch of this has TCP and TLS made in two steps. */
  connected?(to: { address: string; proxy: string | undefined }): void;
  secured(tls: TlsFacts): void;
};
