import { asRecord } from '../apps/broker/src/platform/json.ts';

export type SeenCall = { tool: string; asksProgress: boolean; notices: number };

/** What one client was seen to do on its way through the door. */
export class Trace {
  protocol = '';
  userAgent = '';
  /** The client's name and version, as it tells them in a request. */
  clientInfo = '';
  /** Names of the capabilities that it declared. */
  capabilities: readonly string[] = [];
  /** How it signed in: by registration or by a metadata document. */
  signIn = '';
  refreshes = 0;
  /** Lists of tools that it got. */
  lists = 0;
  readonly calls: SeenCall[] = [];

  /** The protocol revision and the way of its sign-in, for the row. */
  told(): string {
    const parts = [this.clientInfo, this.protocol, this.signIn === '' ? '' : `by ${this.signIn}`];
    const asks = this.capabilities.includes('elicitation') ? 'answers questions' : '';
    return [...parts, asks].filter((part) => part !== '').join(', ');
  }

  /** @returns the call, if the request is one */
  hear(body: unknown): SeenCall | undefined {
    const { method, params } = { ...asRecord(body) };
    const given = { ...asRecord(params) };
    const meta = { ...asRecord(given['_meta']) };
    const claim = (key: string) => given[key] ?? meta[`io.modelcontextprotocol/${key}`];
    const info = asRecord(claim('clientInfo'));
    if (info) this.clientInfo = `${String(info['name'])} ${String(info['version'])}`;
    const capabilities = asRecord(given['capabilities'] ?? meta['io.modelcontextprotocol/clientCapabilities']);
    if (capabilities) this.capabilities = Object.keys(capabilities);
    const protocol = claim('protocolVersion');
    if (typeof protocol === 'string') this.protocol = protocol;
    if (method !== 'tools/call') return undefined;
    const call = { tool: String(given['name']), asksProgress: 'progressToken' in meta, notices: 0 };
    this.calls.push(call);
    return call;
  }
}
