/** Why the guard allows an address: it is public, an entry of a list names it, or a proxy decides. */
export type AddressRule = 'public' | 'proxy' | { entry: string; by: 'operator' | 'administrator' };

export type TlsFacts = {
  /** The version, such as TLSv1.3. */
  protocol: string;
  /** The issuer of the server's certificate, if it names one. */
  issuer: string | undefined;
  validUntil: string | undefined;
};

/** Observes the steps of each connection to an address from outside, in this order and as far as it gets. */
export type ConnectionWatch = {
  /** The addresses of the host. Empty if this machine does not know the name; a proxy may. */
  resolved?(addresses: readonly string[]): void;
  allowed?(rule: AddressRule): void;
  /** TCP is open, to this address or to a proxy. Observing this makes TCP and TLS two separate steps. */
  connected?(to: { address: string; proxy: string | undefined }): void;
  secured(tls: TlsFacts): void;
};
