import { resolve } from 'node:path';
import { resolveTool, type Tool } from '../../../adapters/embedded/index.js';

export type { Tool };

/** The folder of fetched packages, which later runs reuse. */
function cacheDir(): string {
  return process.env.HATIF_CACHE_DIR ?? resolve('.hatif-cache');
}

export interface PhoneTool {
  readonly tool: Tool;
  /** The folder of baresip's modules. */
  readonly modules: string;
}

let baresip: Promise<PhoneTool> | undefined;
let sipp: Promise<Tool> | undefined;

/** Never the machine's own baresip: that is often version 1.0, which crashes when a held call ends. */
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
