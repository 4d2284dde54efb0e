import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exists, makePrivateDir } from '../system/files.js';
import { EmbeddedError } from '../system/types.js';
import { copyBinaries } from './binaries.js';
import type { PostgresBinaries } from './binaries.js';

export interface RunAs {
  readonly uid?: number;
  readonly gid?: number;
}

/** Where one PostgreSQL lives and as whom it runs. */
export interface PostgresPlace {
  readonly home: string;
  readonly pgData: string;
  readonly binaries: PostgresBinaries;
  readonly server: RunAs;
  /** `initdb` wants a user that has a name; the server does not. */
  readonly initdb: RunAs;
}

/** Between the ranges that systemd gives to its own purposes (its UIDS-GIDS document), and below any 16-bit limit. */
const FIRST_FREE_UID = 60_800;
const LAST_FREE_UID = 61_100;

/**
 * As an ordinary user: below the data folder, as that user. As root, whom PostgreSQL refuses: as a number of its own
 * without a name, so that no account is added to the machine and nobody else can read the data; in the data folder when such a
 * user can enter it, else (a clone below /root) in `/var/lib/hatif-<hash of the data folder>`, with a copy of the
 * program files where theirs cannot be entered either; `postgres.place` in the data folder then names that folder, which
 * has to be deleted with it.
 */
export async function choosePlace(dataDir: string, binaries: PostgresBinaries): Promise<PostgresPlace> {
  if (process.getuid?.() !== 0) {
    const home = join(dataDir, 'postgres');
    makePrivateDir(home);
    return { home, pgData: join(home, 'data'), binaries, server: {}, initdb: {} };
  }
  // The folder itself is ours: others may pass through, but not look.
  await chmod(dataDir, 0o711);
  const inside = await isOpenTo(dirname(dataDir));
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 12);
  const home = inside ? join(dataDir, 'postgres') : join('/var/lib', `hatif-${hash}`);
  await mkdir(home, { recursive: true, mode: 0o711 });
  await chmod(home, 0o711);
  const pgData = join(home, 'data');
  const accounts = await readAccounts();
  const owner = await ownerOf(pgData);
  const uid = owner !== undefined && owner >= FIRST_FREE_UID && owner <= LAST_FREE_UID ? owner : unusedUid(accounts);
  const nobody = accounts.find(({ name }) => name === 'nobody');
  if (!nobody)
    throw new EmbeddedError('postgres', 'started as root, but this machine has no user "nobody" to set it up as');
  return {
    home,
    pgData,
    binaries: (await isOpenTo(binaries.root)) ? binaries : await copyBinaries(binaries, home),
    server: { uid, gid: uid },
    initdb: { uid: nobody.uid, gid: nobody.gid },
  };
}

/** Gives a folder and all in it to a user. */
export async function giveTo(path: string, { uid, gid }: RunAs): Promise<void> {
  if (uid === undefined || gid === undefined) return;
  const found = await lstat(path);
  if (found.isDirectory()) for (const name of await readdir(path)) await giveTo(join(path, name), { uid, gid });
  if (!found.isSymbolicLink()) await chown(path, uid, gid);
}

/** Whether any user may pass through the folder and all above it. */
async function isOpenTo(folder: string): Promise<boolean> {
  for (let path = folder; ; path = dirname(path)) {
    if (((await stat(path)).mode & 0o001) === 0) return false;
    if (path === dirname(path)) return true;
  }
}

async function ownerOf(path: string): Promise<number | undefined> {
  return (await exists(path)) ? (await stat(path)).uid : undefined;
}

async function readAccounts(): Promise<{ name: string; uid: number; gid: number }[]> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n');
  return lines.map((line) => {
    const [name = '', , uid, gid] = line.split(':');
    return { name, uid: Number(uid), gid: Number(gid) };
  });
}

function unusedUid(accounts: readonly { uid: number; gid: number }[]): number {
  const taken = new Set(accounts.flatMap(({ uid, gid }) => [uid, gid]));
  for (let uid = FIRST_FREE_UID; uid <= LAST_FREE_UID; uid += 1) if (!taken.has(uid)) return uid;
  throw new EmbeddedError('postgres', `no unused user number between ${FIRST_FREE_UID} and ${LAST_FREE_UID}`);
}
