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

/** The directories of a PostgreSQL instance and the users that it runs as. */
export interface PostgresPlace {
  readonly home: string;
  readonly pgData: string;
  readonly binaries: PostgresBinaries;
  readonly server: RunAs;
  /** `initdb` needs a user with a name; the server does not. */
  readonly initdb: RunAs;
}

/** Between the ranges that systemd reserves (see its UIDS-GIDS document), and below any 16-bit limit. */
const FIRST_FREE_UID = 60_800;
const LAST_FREE_UID = 61_100;

/**
 * Chooses where PostgreSQL lives and its user. For an ordinary user: in the data directory, as that user. PostgreSQL
 * refuses to run as root; root therefore uses an unused numeric uid without a name, so that no account is added to the
 * machine and no other user can read the data. It lives in the data directory if such a user can enter it, otherwise
 * (a clone below /root) in `/var/lib/hatif-<hash of the data directory>`, with a copy of the program files if that user
 * cannot enter theirs. The file `postgres.place` in the data directory then names that directory, which must be deleted
 * together with it.
 */
export async function choosePlace(dataDir: string, binaries: PostgresBinaries): Promise<PostgresPlace> {
  if (process.getuid?.() !== 0) {
    const home = join(dataDir, 'postgres');
    makePrivateDir(home);
    return { home, pgData: join(home, 'data'), binaries, server: {}, initdb: {} };
  }
  // Other users may traverse the data directory, but not list it.
  await chmod(dataDir, 0o711);
  const inside = await isTraversable(dirname(dataDir));
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
    binaries: (await isTraversable(binaries.root)) ? binaries : await copyBinaries(binaries, home),
    server: { uid, gid: uid },
    initdb: { uid: nobody.uid, gid: nobody.gid },
  };
}

/** Changes the owner of a directory and its contents. */
export async function chownRecursively(path: string, { uid, gid }: RunAs): Promise<void> {
  if (uid === undefined || gid === undefined) return;
  const found = await lstat(path);
  if (found.isDirectory())
    for (const name of await readdir(path)) await chownRecursively(join(path, name), { uid, gid });
  if (!found.isSymbolicLink()) await chown(path, uid, gid);
}

/** Whether every user may traverse the directory and all of its parents. */
async function isTraversable(folder: string): Promise<boolean> {
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
  throw new EmbeddedError('postgres', `no unused user id between ${FIRST_FREE_UID} and ${LAST_FREE_UID}`);
}
