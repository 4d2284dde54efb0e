import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { GuideFile } from '../../api/pages/guide/guide.js';
import { hasCode } from '../../core/model/error-code.js';

/** Documents in the project folder itself, and plain files that documents link to. */
const FILES = [
  'README.md',
  'README.ar.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  '.env.example',
  'config/monitoring/alert-rules.yml',
  'config/monitoring/grafana-dashboard.json',
  'config/monitoring/prometheus.yml',
];

/**
 * Reads the documents from which the build renders `/docs/guide`. Missing files are left out.
 * @param root the project folder
 */
export async function readDocuments(root: string): Promise<GuideFile[]> {
  const below = await orNothing(readdir(join(root, 'docs'), { recursive: true, withFileTypes: true }));
  const documents = (below ?? [])
    .filter((item) => item.isFile() && item.name.endsWith('.md'))
    .map((item) => relative(root, join(item.parentPath, item.name)).split(sep).join('/'));
  const files: GuideFile[] = [];
  for (const path of [...FILES, ...documents.sort()]) {
    const text = await orNothing(readFile(join(root, path), 'utf8'));
    if (text !== null) files.push({ path, text });
  }
  return files;
}

async function orNothing<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}
