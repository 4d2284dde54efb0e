import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { ROOT } from './run.mjs';

/** The script that pages load. */
export const WIDGET = 'console/widget/v1.js';

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

/** Bundles console/widget into one script, which includes the code of the worker. */
export async function buildWidget() {
  const { build } = await import('esbuild');
  const worker = await build({ ...COMMON, entryPoints: ['console/widget/proof-worker.ts'], write: false });
  const outfile = join(ROOT, 'dist', WIDGET);
  mkdirSync(dirname(outfile), { recursive: true });
  await build({
    ...COMMON,
    entryPoints: ['console/widget/v1.ts'],
    outfile,
    define: { PROOF_WORKER: JSON.stringify(worker.outputFiles[0].text.trim()) },
  });
}
