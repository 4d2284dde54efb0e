import { join } from 'node:path';

import { ROOT } from './run.mjs';

/** The page for agents: its script, with the browser package in it, and its style. */
export const PHONE = ['console/phone/main.js', 'console/phone/style.css', 'console/phone/worker.js'];

/** Bundles console/phone. */
export async function buildPhone() {
  const { build } = await import('esbuild');
  await build({
    ...{ absWorkingDir: ROOT, bundle: true, minify: true, format: 'esm', charset: 'utf8', logLevel: 'warning' },
    target: ['chrome90', 'firefox101', 'safari16.4'],
    legalComments: 'none',
    banner: { js: '/*! Contains JsSIP (MIT); see /web/licences.txt. */' },
    entryPoints: ['console/phone/main.ts', 'console/phone/style.css', 'console/phone/worker.ts'],
    outdir: join(ROOT, 'dist/console/phone'),
  });
}
