import { resolve } from 'node:path';
import { resolveTool, type Tool } from '../../../adapters/embedded/index.js';

export type { Tool };

/** Where tests keep fetched packages, between runs. */
function cacheDir(): string {
  return process.env.HATIF_CACHE_DIR ?? resolve('.hatif-cache');
}

export interface PhoneTool {
  readonly tool: Tool;
  /** Where baresip's modules are. */
  readonly modules: string;
}

let baresip: Promise<PhoneTool> | undefined;
let sipp: Promise<Tool> | undefined;

/** Found once a process: a machine's own baresip is 1.0 as often as not, which crashes when a held call ends. */
export function baresipTool(): Promise<PhoneTool> {
  baresip ??= resolveTool('baresip', { cacheDir: cacheDir(), preferEmbedded: true }).then((tool) => ({
    tool,
    modules: `${tool.prefix ?? ''}/usr/lib/baresip/modules`,
  }));
  return baresip;
}

export function sippTool(): Promise<Tool> {
  sipp ??= resolveTool('sipp', { cacheDir: cacheDir(), preferEmbedded: true });
  return sipp;
}
