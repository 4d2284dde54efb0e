import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { EmbeddedError } from '../system/types.js';
import type { AsteriskOptions } from '../system/types.js';
import type { AsteriskLayout } from './layout.js';
import { renderTemplates } from './render.js';
import { templateValues } from './values.js';
import type { AriAccess } from './values.js';

const TRIPLETS: Readonly<Record<string, string>> = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' };

/**
 * Renders the embedded Asterisk's configuration for an Asterisk that the operator runs, with the paths of Debian's
 * package. Returns the texts by file name, for `/etc/asterisk`.
 * @throws EmbeddedError for a value that a configuration file cannot contain
 */
export async function debianConfig(options: AsteriskOptions, ari: AriAccess): Promise<Map<string, string>> {
  const templates = options.templatesDir ?? fileURLToPath(new URL('../../../config/asterisk/', import.meta.url));
  const modules = await listedModules(join(templates, 'modules.list'));
  return renderTemplates(templates, templateValues(options, debianLayout(), modules, ari));
}

function debianLayout(): AsteriskLayout {
  const triplet = TRIPLETS[process.arch];
  if (triplet === undefined) throw new EmbeddedError('asterisk', `unknown Debian paths for ${process.arch}`);
  return {
    etcDir: '/etc/asterisk',
    modulesDir: `/usr/lib/${triplet}/asterisk/modules`,
    libDir: '/var/lib/asterisk',
    dataDir: '/usr/share/asterisk',
    spoolDir: '/var/spool/asterisk',
    runDir: '/run/asterisk',
    logDir: '/var/log/asterisk',
    musicDir: '/usr/share/asterisk/moh',
    musicMode: 'files',
  };
}

/** Includes all modules: Asterisk reports a missing one and continues without it. */
async function listedModules(file: string): Promise<string[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(/\s+/))
    .map(([how = '', name = '']) => `${how} = ${name}.so`);
}
