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
 * The same configuration that the embedded Asterisk runs with, for one that the operator runs: in the folders of Debian's
 * package. The texts by file name, for its `/etc/asterisk`.
 * @throws EmbeddedError for a value that cannot stand in a configuration file.
 */
export async function debianConfig(options: AsteriskOptions, ari: AriAccess): Promise<Map<string, string>> {
  const templates = options.templatesDir ?? fileURLToPath(new URL('../../../config/asterisk/', import.meta.url));
  const modules = await listedModules(join(templates, 'modules.list'));
  return renderTemplates(templates, templateValues(options, debianLayout(), modules, ari));
}

function debianLayout(): AsteriskLayout {
  const triplet = TRIPLETS[process.arch];
  if (triplet === undefined) throw new EmbeddedError('asterisk', `no Debian folders are known for ${process.arch}`);
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

/** All of them: what is wanted but lacking there, Asterisk reports and goes on without. */
async function listedModules(file: string): Promise<string[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(/\s+/))
    .map(([how = '', name = '']) => `${how} = ${name}.so`);
}
