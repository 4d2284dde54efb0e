import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { ArchiveWriter } from '../../../adapters/archive/writer.js';
import { exists } from '../../../adapters/embedded/system/files.js';
import type { BackupSummary } from '../../../cli/common/context.js';
import { CliError, EXIT } from '../../../cli/common/failure.js';
import type { Settings } from '../../../config/settings.js';
import { isMissingTable } from '../../../core/data/errors.js';
import { Snapshot, type SnapshotTable } from '../../../core/data/schema/snapshot.js';
import type { Cipher } from '../../../core/model/access/cipher.js';
import { hasCode } from '../../../core/model/error-code.js';
import { bootstrapFile, fileFolders, secretFile } from '../places.js';
import { VERSION } from '../version.js';
import { checkOf, FORMAT, MANIFEST, PIECE_BYTES, pieceName, type Manifest } from './manifest.js';

export interface BackupOptions {
  readonly settings: Settings;
  readonly databaseUrl: string;
  readonly cipher: Cipher;
  readonly file: string;
  /** True: an existing file is overwritten. */
  readonly overwrite: boolean;
  readonly onProgress: (text: string, fraction?: number) => void;
}

/** A file for the backup. */
interface Item {
  readonly member: string;
  readonly path: string;
  readonly bytes: number;
}

/**
 * Writes a snapshot of the database, the files that its rows name, and the secret to one archive. The platform may be
 * running. A file that is deleted meanwhile counts as missing; a file that is added meanwhile is not included.
 * @throws CliError; DatabaseUnavailable
 */
export async function backup(options: BackupOptions): Promise<BackupSummary> {
  const { settings, databaseUrl, cipher, file, overwrite, onProgress } = options;
  await checkTarget(file, overwrite);
  const snapshot = await Snapshot.open(databaseUrl).catch((error: unknown) => {
    throw isMissingTable(error) ? new CliError('There is nothing to back up: the database is empty.') : error;
  });
  const archive = new ArchiveWriter(file);
  try {
    const items = await itemsOf(settings, snapshot);
    const kept = settings.HATIF_SECRET === undefined ? 'file' : 'setting';
    const manifest: Manifest = {
      format: FORMAT,
      hatif: VERSION,
      created_at: new Date().toISOString(),
      migrations: [...snapshot.migrations],
      tables: snapshot.tables.map(({ name, columns }) => ({ name, columns: [...columns] })),
      secret: { kept, check: checkOf(cipher) },
    };
    await archive.add(MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`);
    if (kept === 'file') await archive.add('secret', await readFile(secretFile(settings)));
    await archive.addFile('bootstrap.json', bootstrapFile(settings)).catch(unlessMissing);

    const all = [...snapshot.tables, ...items].reduce((sum, { bytes }) => sum + bytes, 1);
    let done = 0;
    const rows: Record<string, number> = {};
    for (const table of snapshot.tables) {
      rows[table.name] = await addTable(archive, snapshot, table);
      done += table.bytes;
      onProgress('Backing up', done / all);
    }
    await archive.add('rows.json', JSON.stringify(rows));
    let [files, missing] = [0, 0];
    for (const { member, path, bytes } of items) {
      if ((await archive.addFile(member, path).catch(unlessMissing)) === null) missing += 1;
      else files += 1;
      done += bytes;
      onProgress('Backing up', done / all);
    }
    const bytes = await archive.finish();
    onProgress('Backing up', 1);
    return { file, bytes, tables: rows, files, missing_files: missing, secret: kept, created_at: manifest.created_at };
  } catch (error) {
    await archive.abort();
    throw error;
  } finally {
    await snapshot.close();
  }
}

async function addTable(archive: ArchiveWriter, snapshot: Snapshot, table: SnapshotTable): Promise<number> {
  const copy = snapshot.copy(table);
  let pieces: Buffer[] = [];
  let [bytes, count] = [0, 0];
  const flush = async (): Promise<void> => {
    count += 1;
    await archive.add(pieceName(table.name, count), Buffer.concat(pieces));
    [pieces, bytes] = [[], 0];
  };
  for (;;) {
    const next = await copy.next();
    if (next.done) {
      await flush();
      return next.value;
    }
    pieces.push(next.value);
    bytes += next.value.length;
    if (bytes >= PIECE_BYTES) await flush();
  }
}

/** Lists uploads by their rows, and recordings by their folder, whose layout belongs to the storage. */
async function itemsOf(settings: Settings, snapshot: Snapshot): Promise<Item[]> {
  const { uploads, recordings, recording } = fileFolders(settings);
  // The schema may be older than this version.
  const hasVirtualNumbers = snapshot.tables.some(({ name }) => name === 'virtual_numbers');
  const kept = hasVirtualNumbers ? 'UNION SELECT audio_id FROM virtual_numbers WHERE audio_id IS NOT NULL' : '';
  const audio = await snapshot.query<{ id: string }>(`SELECT id FROM audio_files ${kept} ORDER BY id`);
  const names = audio.flatMap(({ id }) => ['.wav', '.wav16'].map((extension) => id + extension));
  const items = [
    ...names.map((name) => ({ member: `uploads/${name}`, path: join(uploads, name) })),
    ...(await everythingIn('recordings', recordings)),
    ...(await everythingIn('recording', recording)),
  ];
  return Promise.all(
    items.map(async (item) => ({ ...item, bytes: (await stat(item.path).catch(() => null))?.size ?? 0 })),
  );
}

async function everythingIn(name: string, folder: string): Promise<Omit<Item, 'bytes'>[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ member: [name, ...relative(folder, path).split(sep)].join('/'), path }));
}

async function checkTarget(file: string, overwrite: boolean): Promise<void> {
  if (!(await exists(dirname(file)))) throw new CliError(`The folder ${dirname(file)} does not exist.`, EXIT.usage);
  if (!overwrite && (await exists(file))) {
    throw new CliError(`${file} exists already.`, EXIT.usage, 'Choose another file, or give --force.');
  }
}

function unlessMissing(error: unknown): null {
  if (hasCode(error, 'ENOENT')) return null;
  throw error;
}
