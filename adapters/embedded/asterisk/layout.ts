import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exists, makePrivateDir } from '../system/files.js';
import { EmbeddedError } from '../system/types.js';
import type { Tool } from '../system/types.js';

/** The paths of one Asterisk instance. The keys are also template values. */
export interface AsteriskLayout {
  readonly etcDir: string;
  readonly modulesDir: string;
  readonly libDir: string;
  readonly dataDir: string;
  readonly spoolDir: string;
  readonly runDir: string;
  readonly logDir: string;
  readonly musicDir: string;
  readonly musicMode: string;
}

/** A control socket's path must fit sockaddr_un (108 bytes including NUL), and Asterisk appends `/asterisk.ctl`. */
const MAX_RUN_DIR_BYTES = 90;

/**
 * Creates the directories of an instance below `home`, and links its data directory to the program's sounds and
 * documentation.
 */
export async function makeLayout(home: string, tool: Tool): Promise<AsteriskLayout> {
  const root = tool.prefix ?? '/';
  const modulesDir = await firstWith(
    [
      ...(await triplets(root)).map((triplet) => join(root, 'usr/lib', triplet, 'asterisk/modules')),
      join(root, 'usr/lib/asterisk/modules'),
      join(root, 'usr/lib64/asterisk/modules'),
      join(root, 'usr/local/lib/asterisk/modules'),
    ],
    'res_stasis.so',
    'its modules',
  );
  const shareDir = await firstWith(
    ['usr/share/asterisk', 'var/lib/asterisk', 'usr/local/share/asterisk'].map((folder) => join(root, folder)),
    'documentation/core-en_US.xml',
    'its documentation files',
  );
  const layout = {
    etcDir: join(home, 'etc'),
    modulesDir,
    libDir: join(home, 'lib'),
    dataDir: join(home, 'share'),
    spoolDir: join(home, 'spool'),
    runDir: runDirOf(home),
    logDir: join(home, 'log'),
    musicDir: join(home, 'share', 'moh'),
    musicMode: 'files',
  };
  await mkdir(home, { recursive: true });
  for (const folder of [layout.etcDir, layout.libDir, join(layout.libDir, 'keys'), layout.logDir, layout.runDir])
    makePrivateDir(folder);
  for (const folder of ['recording', 'tmp', 'outgoing']) {
    await mkdir(join(layout.spoolDir, folder), { recursive: true });
  }
  for (const folder of ['cel-custom', 'cdr-custom']) await mkdir(join(layout.logDir, folder), { recursive: true });
  await linkShare(shareDir, layout.dataDir);
  return layout;
}

/** Fills the data directory with links to the program's, with the English sounds as `en`. */
async function linkShare(shareDir: string, dataDir: string): Promise<void> {
  await mkdir(join(dataDir, 'sounds'), { recursive: true });
  for (const name of await readdir(shareDir)) {
    if (name !== 'sounds') await link(join(shareDir, name), join(dataDir, name));
  }
  await mkdir(join(dataDir, 'moh'), { recursive: true });
  const sounds = join(shareDir, 'sounds');
  const voices = await readdir(sounds).catch(() => []);
  const english = voices.find((name) => name === 'en') ?? voices.find((name) => name.startsWith('en'));
  if (english !== undefined) await link(join(sounds, english), join(dataDir, 'sounds', 'en'));
}

async function link(target: string, path: string): Promise<void> {
  const present = await readlink(path).catch(() => undefined);
  if (present === target) return;
  await rm(path, { recursive: true, force: true });
  await symlink(target, path);
}

/** Uses a directory in the instance if its path is short enough, otherwise a unique one in the temporary directory. */
function runDirOf(home: string): string {
  const inside = join(home, 'run');
  if (Buffer.byteLength(inside) <= MAX_RUN_DIR_BYTES) return inside;
  const hash = createHash('sha256').update(home).digest('hex').slice(0, 12);
  return join(tmpdir(), `hatif-${process.getuid?.() ?? 0}-${hash}`);
}

async function triplets(root: string): Promise<string[]> {
  const names = await readdir(join(root, 'usr/lib')).catch(() => []);
  return names.filter((name) => name.endsWith('-linux-gnu'));
}

async function firstWith(folders: readonly string[], file: string, what: string): Promise<string> {
  for (const folder of folders) if (await exists(join(folder, file))) return folder;
  throw new EmbeddedError('asterisk', `${what} were not found (looked in ${folders.join(', ')})`);
}

/** Returns the lines of modules.conf: the template's list without the modules that this build lacks. */
export async function moduleLines(listFile: string, modulesDir: string): Promise<string[]> {
  const present = new Set(await readdir(modulesDir));
  const lines: string[] = [];
  for (const line of (await readFile(listFile, 'utf8')).split('\n')) {
    const [how, name] = line.trim().split(/\s+/);
    if (how === undefined || how === '' || how.startsWith('#') || name === undefined) continue;
    if (present.has(`${name}.so`)) lines.push(`${how} = ${name}.so`);
    else if (how !== 'load') throw new EmbeddedError('asterisk', `this build lacks the required module ${name}`);
  }
  return lines;
}
