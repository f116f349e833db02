import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { compileCache } from '../../apps/broker/src/testing/compile-cache.ts';

const program = join(import.meta.dirname, '../../node_modules/add-mcp/dist/index.js');

/** Project file that Claude Code reads. */
const serverSchema = z.object({ type: z.string(), url: z.url() });
const projectFile = z.object({ mcpServers: z.record(z.string(), serverSchema) });

/**
 * Runs the add-mcp CLI with this shop as its only registry, in a separate project and home. The CLI searches the
 * registry for `keyword` and writes the only service that it finds into the project's configuration of Claude Code.
 * @returns the servers of that configuration
 */
export async function addFromRegistry(registry: string, keyword: string): Promise<z.output<typeof serverSchema>[]> {
  const folder = await mkdtemp(join(tmpdir(), 'add-mcp-'));
  try {
    const home = join(folder, 'home');
    const project = join(folder, 'project');
    await mkdir(join(home, 'add-mcp'), { recursive: true });
    await mkdir(project);
    const settings = { version: 1, findRegistries: [{ url: registry, label: 'Souk' }] };
    await writeFile(join(home, 'add-mcp/config.json'), JSON.stringify(settings));
    const child = spawn(process.execPath, [program, 'find', keyword, '--agent', 'claude-code', '--yes'], {
      cwd: project,
      env: { PATH: process.env['PATH'], HOME: home, XDG_CONFIG_HOME: home, ...compileCache() },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    child.stdout.on('data', (chunk) => (said += String(chunk)));
    child.stderr.on('data', (chunk) => (said += String(chunk)));
    const code = await new Promise((resolve) => child.on('close', resolve));
    if (code !== 0) throw new Error(`add-mcp ended with ${String(code)}: ${said}`);
    const written = await readFile(join(project, '.mcp.json'), 'utf8').catch(() => {
      throw new Error(`add-mcp wrote nothing: ${said}`);
    });
    return Object.values(projectFile.parse(JSON.parse(written)).mcpServers);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
