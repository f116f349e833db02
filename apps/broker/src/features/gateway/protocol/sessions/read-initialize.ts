import {
  LATEST_PROTOCOL_VERSION,
  SUPPORTED_PROTOCOL_VERSIONS,
  type InitializeRequest,
} from '@modelcontextprotocol/server';
import type { Initialized } from './session-store.ts';

/** Capabilities are stored with each session. */
const maxCapabilitiesBytes = 16 * 1024;
const maxNameLength = 200;

/** Returns what is stored of an initialize request: the revision that the SDK will negotiate, and names of bounded length. */
export function readInitialize({ params }: Pick<InitializeRequest, 'params'>): Initialized | { problem: string } {
  const { protocolVersion, capabilities, clientInfo } = params;
  if (Buffer.byteLength(JSON.stringify(capabilities)) > maxCapabilitiesBytes) {
    return { problem: `Invalid params: the capabilities of a client take ${maxCapabilitiesBytes} bytes at most` };
  }
  const cut = (text: string) => text.slice(0, maxNameLength);
  return {
    protocolVersion: SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion) ? protocolVersion : LATEST_PROTOCOL_VERSION,
    capabilities,
    clientInfo: {
      name: cut(clientInfo.name),
      version: cut(clientInfo.version),
      ...(clientInfo.title !== undefined && { title: cut(clientInfo.title) }),
    },
  };
}
