import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from './run.mjs';

/** The sources of the guide, apart from plain files of config/. */
export const DOCUMENTS = ['README.md', 'README.ar.md', 'CONTRIBUTING.md', 'CHANGELOG.md', '.env.example', 'docs'];
/** The file that the API serves at /docs/guide. */
export const GUIDE = 'guide.json';

/** Renders the documents with the code that was just built. */
export async function buildGuide() {
  const { readDocuments } = await import(new URL('../../dist/main/guide/documents.js', import.meta.url).href);
  const { buildGuide: render } = await import(new URL('../../dist/api/pages/guide/guide.js', import.meta.url).href);
  writeFileSync(join(ROOT, 'dist', GUIDE), JSON.stringify(render(await readDocuments(ROOT))));
}
