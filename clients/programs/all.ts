import type { Program } from '../program.ts';
import { agentPrograms } from './agents.ts';
import { bridgePrograms } from './bridges.ts';
import { libraryPrograms } from './libraries.ts';
import { sdkPrograms } from './sdks.ts';

/** All clients that can run here, in the order of the table. */
export const programs: readonly Program[] = [...agentPrograms, ...sdkPrograms, ...bridgePrograms, ...libraryPrograms];

export const notRun: readonly { name: string; label: string; why: string }[] = [
  {
    name: 'claude-web',
    label: 'Claude (web, desktop)',
    why: 'runs at its vendor, and needs a public address',
  },
  { name: 'chatgpt', label: 'ChatGPT', why: 'runs at its vendor, and needs a public address' },
  { name: 'vs-code', label: 'VS Code', why: 'is not on npm, and its Copilot needs an account' },
  { name: 'cursor', label: 'Cursor', why: 'is not on npm, and needs an account' },
  { name: 'zed', label: 'Zed', why: 'is not on npm' },
];
