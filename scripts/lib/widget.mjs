import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { ROOT } from './run.mjs';

/** The script that pages load, and the module of the chat that it loads if the widget has one. */
export const WIDGET = 'console/widget/v1.js';
export const CHAT = 'console/widget/chat/v1.js';

const COMMON = {
  absWorkingDir: ROOT,
  bundle: true,
  minify: true,
  format: 'iife',
  target: ['chrome90', 'firefox101', 'safari16.4'],
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'warning',
};

/** Bundles console/widget into one script, which includes the code of the worker, and the chat into a module. */
export async function buildWidget() {
  const { build } = await import('esbuild');
  const worker = await build({ ...COMMON, entryPoints: ['console/widget/proof-worker.ts'], write: false });
  const outfile = join(ROOT, 'dist', WIDGET);
  mkdirSync(dirname(join(ROOT, 'dist', CHAT)), { recursive: true });
  await build({
    ...COMMON,
    entryPoints: ['console/widget/v1.ts'],
    outfile,
    define: { PROOF_WORKER: JSON.stringify(worker.outputFiles[0].text.trim()) },
  });
  await build({
    ...COMMON,
    format: 'esm',
    entryPoints: ['console/widget/chat/v1.ts'],
    outfile: join(ROOT, 'dist', CHAT),
  });
}
